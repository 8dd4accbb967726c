// Restarts the machine: asks with a wrong password.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(syscall(SYS_reboot, 0, 0, 0, NULL)); }
