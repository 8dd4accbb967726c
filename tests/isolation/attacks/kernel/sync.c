// Has the machine write everything to its disks, which makes all others wait.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_sync)); }
