// Talks to the machine's hardware.
// process: reached or refused (as root with all rights, on x86); restricted, sandbox: refused
#include "attack.h"

int main(void) {
#ifdef SYS_iopl
    return outcome(syscall(SYS_iopl, 3));
#endif
    errno = ENOSYS;
    return refused();
}
