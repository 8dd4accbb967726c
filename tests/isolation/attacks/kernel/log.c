// Reads the kernel's log.
// process: reached or refused (as root, where the kernel lets it); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_syslog, 10, NULL, 0)); }
