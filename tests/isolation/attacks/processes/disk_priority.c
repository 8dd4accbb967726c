// Gives itself priority at the disk.
// process: reached; process without root: refused; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_ioprio_set, 1, 0, 1 << 13)); }
