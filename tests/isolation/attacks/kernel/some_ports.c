// Talks to some of the machine's hardware.
// process: reached or refused (as root with all rights, on x86); restricted, sandbox: refused
#include "attack.h"

int main(void) {
#ifdef SYS_ioperm
    return outcome(syscall(SYS_ioperm, 0x80, 1, 1));
#endif
    errno = ENOSYS;
    return refused();
}
