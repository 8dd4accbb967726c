// Becomes root.
// process: reached; process without root: refused; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_setresuid, 0, 0, 0)); }
