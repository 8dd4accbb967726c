// Has the kernel keep keys for it.
// process: reached or refused (where the kernel has keys); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_add_key, "user", text("MARK"), "x", 1, -1)); }
