// Has the kernel treat it as a program of another system.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_personality, 0x0040000)); }
