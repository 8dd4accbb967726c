// Changes the processor's table of segments.
// process: reached or refused (on x86); restricted, sandbox: refused
#include "attack.h"

int main(void) {
#ifdef SYS_modify_ldt
    char found[64];
    return outcome(syscall(SYS_modify_ldt, 0, found, sizeof found));
#endif
    errno = ENOSYS;
    return refused();
}
