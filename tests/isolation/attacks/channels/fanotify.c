// Watches what all programs of the machine open.
// process: reached or refused (as root); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_fanotify_init, 0, O_RDONLY)); }
