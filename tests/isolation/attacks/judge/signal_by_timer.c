// Has a timer send the judge a signal.
// all: refused
#include "attack.h"
#include <time.h>

int main(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGKILL};
    event._sigev_un._tid = number("JUDGE");
    timer_t timer;
    return outcome(timer_create(CLOCK_MONOTONIC, &event, &timer));
}
