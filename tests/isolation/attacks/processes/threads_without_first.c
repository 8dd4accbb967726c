// Starts 100 threads when its first thread has ended, and the kernel shows the process as dead.
// all: refused or fault memory
#include "attack.h"
#include <pthread.h>

static void *wait_there(void *nothing) {
    wait_and_exit();
}

static void *start(void *nothing) {
    usleep(100000);
    pthread_t thread;
    for (int number = 0; number < 100; number++)
        if (errno = pthread_create(&thread, NULL, wait_there, NULL)) exit(refused());
    sleep(1);
    exit(reached());
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    syscall(SYS_exit, 0);
}
