// Has the kernel keep 200,000 signals that nobody takes.
// all: reached or refused or fault memory (they count as its memory)
#include "attack.h"

int main(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int number = 0; number < 200000; number++)
        if (sigqueue(getpid(), SIGRTMIN, (union sigval){0})) return refused();
    return reached();
}
