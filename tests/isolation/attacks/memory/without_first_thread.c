// Takes 300 MB in a thread, when its first thread has ended and the kernel shows the process as dead.
// all: fault memory
#include "attack.h"
#include <pthread.h>

static void *take(void *nothing) {
    usleep(100000);
    memset(malloc(300 << 20), 1, 300 << 20);
    sleep(1);
    exit(reached());
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, take, NULL);
    syscall(SYS_exit, 0);
}
