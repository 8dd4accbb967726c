// Reads memory that the judge shares with its workers.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/shm.h>

int main(void) {
    char *found = shmat(number("MEMORY"), NULL, SHM_RDONLY);
    return found == (void *)-1 ? refused() : reached();
}
