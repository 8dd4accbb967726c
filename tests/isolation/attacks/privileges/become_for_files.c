// Becomes another user for files alone, by a call that never says that it failed.
// process: reached; process without root: refused; restricted, sandbox: refused
#include "attack.h"
#include <sys/fsuid.h>

int main(void) {
    int other = getuid() + 1;
    syscall(SYS_setfsuid, other);
    errno = EPERM;
    return syscall(SYS_setfsuid, -1) == other ? reached() : refused();
}
