// Handles faults of memory itself, to make the kernel wait.
// process: reached or refused (as root, where the kernel has it); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_userfaultfd, 0)); }
