// Writes memory that the judge shares with its workers.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/shm.h>

int main(void) {
    char *found = shmat(number("MEMORY"), NULL, 0);
    if (found == (void *)-1) return refused();
    strcpy(found, "mine");
    return reached();
}
