// Loads a module of the kernel.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(syscall(SYS_finit_module, -1, "", 0)); }
