// Changes a semaphore of the judge's by the call that can wait.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/sem.h>
#include <time.h>

int main(void) {
    struct sembuf more = {0, 5, IPC_NOWAIT};
    struct timespec most = {1, 0};
    return outcome(semtimedop(number("SEMAPHORES"), &more, 1, &most));
}
