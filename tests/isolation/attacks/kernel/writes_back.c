// Has the kernel let it take memory that is kept for those who write to disks.
// process: reached or refused (as root); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    return outcome(prctl(57, 1, 0, 0, 0)); // PR_SET_IO_FLUSHER
}
