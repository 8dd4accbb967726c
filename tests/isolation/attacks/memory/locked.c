// Locks 64 MB in memory, which the kernel then cannot move.
// process: reached; process without root: refused; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    char *block = malloc(64 << 20);
    return outcome(mlock(block, 64 << 20));
}
