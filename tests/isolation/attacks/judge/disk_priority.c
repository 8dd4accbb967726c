// Slows the judge down at the disk.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_ioprio_set, 1, number("JUDGE"), 3 << 13)); }
