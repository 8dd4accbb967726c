// Has the kernel keep 200,000 timers.
// all: reached or refused or fault memory (they count as its memory)
#include "attack.h"
#include <time.h>

int main(void) {
    struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
    timer_t made;
    for (int number = 0; number < 200000; number++)
        if (timer_create(CLOCK_MONOTONIC, &nothing, &made)) return refused();
    return reached();
}
