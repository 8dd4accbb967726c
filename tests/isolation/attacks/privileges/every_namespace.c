// Makes a namespace of any kind, for itself or for a child, with what a filter may not look at set, too.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    int kinds[] = {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, 0x80};
    for (int number = 0; number < 8; number++) {
        if (!unshare(kinds[number])) return reached();
        for (long more = 0; more < 2; more++) {
            int child = kinds[number] == 0x80 ? -1 : syscall(SYS_clone, kinds[number] | SIGCHLD | more << 32, 0, 0, 0, 0);
            if (child == 0) _exit(0);
            if (child > 0) return reached();
        }
    }
    return refused();
}
