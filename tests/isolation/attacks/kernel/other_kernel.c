// Starts another kernel.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(syscall(SYS_kexec_load, 0, 1000, NULL, 0)); }
