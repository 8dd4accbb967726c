// Kills its parent, which watches it, and leaves a process whose first thread has ended, in a session of its own.
// process: fault crash (without a process that is left); restricted, sandbox: refused
#include "attack.h"
#include <pthread.h>

static void *live(void *nothing) {
    wait_and_exit();
}

int main(void) {
    int parent = getppid();
    if (fork() == 0) {
        pthread_t thread;
        setsid();
        pthread_create(&thread, NULL, live, NULL);
        syscall(SYS_exit, 0);
    }
    usleep(100000);
    if (parent > 1) kill(parent, SIGKILL);
    usleep(100000);
    return tried();
}
