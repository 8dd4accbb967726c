// Has the machine swap to a file: one that does not exist.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(syscall(SYS_swapon, "/nonexistent", 0)); }
