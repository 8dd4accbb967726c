// Exchanges the root of its namespace.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(syscall(SYS_pivot_root, "/nonexistent", "/nonexistent")); }
