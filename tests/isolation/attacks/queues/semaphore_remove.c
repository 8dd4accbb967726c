// Removes a semaphore of the judge's.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/sem.h>

int main(void) { return outcome(semctl(number("SEMAPHORES"), 0, IPC_RMID)); }
