// Changes a semaphore of the judge's.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/sem.h>

int main(void) {
    struct sembuf more = {0, 5, IPC_NOWAIT};
    return outcome(semop(number("SEMAPHORES"), &more, 1));
}
