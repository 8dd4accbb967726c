// Leaves a process whose first thread has ended and whose second one lives, in a session of its own.
// all: refused
#include "attack.h"
#include <pthread.h>

static void *live(void *nothing) {
    wait_and_exit();
}

int main(void) {
    if (fork() == 0) {
        pthread_t thread;
        setsid();
        signal(SIGALRM, SIG_DFL);
        pthread_create(&thread, NULL, live, NULL);
        syscall(SYS_exit, 0);
    }
    usleep(100000);
    return tried();
}
