// Starts 300 threads.
// all: refused or fault memory; process, restricted without processes: reached or refused or fault memory or fault crash (they are counted now and then)
#include "attack.h"
#include <pthread.h>

static void *waits(void *nothing) { pause(); }

int main(void) {
    for (int number = 0; number < 300; number++) {
        pthread_t thread;
        if ((errno = pthread_create(&thread, NULL, waits, NULL))) return refused();
    }
    return reached();
}
