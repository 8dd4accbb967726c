// Leaves a picture of its memory on the disk.
// process: reached or refused; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    return outcome(setrlimit(RLIMIT_CORE, &most));
}
