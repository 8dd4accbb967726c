// Gives itself all rights.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    unsigned head[2] = {0x20080522, 0}, sets[6] = {~0u, ~0u, ~0u, 0x1FF, 0x1FF, 0x1FF};
    return outcome(syscall(SYS_capset, head, sets));
}
