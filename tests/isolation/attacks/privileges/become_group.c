// Becomes a member of another group.
// process: reached; process without root: refused; restricted, sandbox: refused
#include "attack.h"
#include <grp.h>

int main(void) {
    gid_t disk = 6;
    return outcome(syscall(SYS_setgroups, 1, &disk));
}
