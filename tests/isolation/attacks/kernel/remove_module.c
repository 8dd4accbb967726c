// Removes a module of the kernel.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(syscall(SYS_delete_module, NULL, O_NONBLOCK)); }
