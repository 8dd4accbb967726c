// Finds out how many processes the machine has started, from the number that the kernel gives a descriptor of its child.
// pair; all: reached or refused (before Linux 6.9 all have the same number; /proc/stat tells as much)
#include "attack.h"

static unsigned long started(void) {
    int descriptor = -1;
    struct stat about = {0};
    long child = syscall(SYS_clone, 0x1000 | SIGCHLD, 0, &descriptor, 0, 0); // CLONE_PIDFD
    if (child == 0) _exit(0);
    if (child < 0) return 0;
    waitpid(child, NULL, 0);
    fstat(descriptor, &about);
    close(descriptor);
    return about.st_ino;
}

int main(void) {
    if (!strcmp(text("ROLE"), "sends")) {
        printf("ready\n");
        for (int second = 0; second < 6; second++, usleep(500000))
            for (int child = 0; child < 200; child++) started();
        return 0;
    }
    unsigned long before = started();
    if (before == 0) return refused();
    sleep(2);
    unsigned long after = started();
    errno = EPERM;
    return after - before > 200 ? reached() : refused();
}
