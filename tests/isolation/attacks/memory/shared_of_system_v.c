// Takes 300 MB of shared memory of System V, which stays after its end.
// process: fault memory or reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/shm.h>

int main(void) {
    int memory = shmget(IPC_PRIVATE, 300 << 20, 0600);
    if (memory < 0) return refused();
    char *block = shmat(memory, NULL, 0);
    shmctl(memory, IPC_RMID, NULL);
    if (block == (void *)-1) return refused();
    memset(block, 1, 300 << 20);
    sleep(1);
    return reached();
}
