// Removes memory that the judge shares with its workers.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/shm.h>

int main(void) { return outcome(shmctl(number("MEMORY"), IPC_RMID, NULL)); }
