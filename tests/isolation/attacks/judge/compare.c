// Compares what the judge and it have open.
// process: reached or refused (where the kernel can); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_kcmp, getpid(), number("JUDGE"), 0, 0, number("DESCRIPTOR"))); }
