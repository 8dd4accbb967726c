// What attacks in C share. An attack's main returns what came of it: reached, refused, or tried where only the judge can see which. What it
// may attack is in the environment; tests/isolation/judge.py says what there is.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// No attack lasts longer, whatever stops it or does not; nor does what it starts.
#define MOST_SECONDS 25

__attribute__((constructor)) static void bounded(void) {
    alarm(MOST_SECONDS);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

// Say what came of it, and stay until the judge has looked.
static inline int said(const char *form, ...) {
    va_list arguments;
    va_start(arguments, form);
    vprintf(form, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) > 0) {
    }
    return 0;
}

static inline int reached(void) { return said("reached"); }
static inline int refused(void) { return said("refused %s: %s", strerrorname_np(errno), strerror(errno)); }
static inline int tried(void) { return said("tried"); }

// By the result of a call that is to succeed.
static inline int outcome(long result) { return result == -1 ? refused() : reached(); }

// By the result of a call with arguments that no kernel accepts, made so as to do no harm: an error about them comes after the question
// whether the caller may.
static inline int asked(long result) {
    return result == -1 && (errno == EPERM || errno == EACCES || errno == ENOSYS) ? refused() : reached();
}

static inline const char *text(const char *name) { return getenv(name) ? getenv(name) : ""; }
static inline long number(const char *name) { return strtol(text(name), NULL, 0); }

// A process that only waits, and not for long.
static inline void wait_and_exit(void) {
    alarm(MOST_SECONDS);
    for (;;) pause();
}
