// Has threads that start processes, all at a time: 200.
// all: refused or fault memory; process, restricted without processes: reached or refused or fault memory or fault crash (they are counted now and then)
#include "attack.h"
#include <pthread.h>

static int failed;

static void *starts(void *nothing) {
    for (int number = 0; number < 20; number++) {
        int child = fork();
        if (child < 0) failed = errno;
        if (child == 0) wait_and_exit();
    }
    pause();
}

int main(void) {
    for (int number = 0; number < 10; number++) {
        pthread_t thread;
        if ((errno = pthread_create(&thread, NULL, starts, NULL))) return refused();
    }
    sleep(1);
    errno = failed;
    return failed ? refused() : reached();
}
