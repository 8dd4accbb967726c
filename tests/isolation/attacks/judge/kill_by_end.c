// Kills its parent, which watches it, by the signal that a process sends at its end, and that whoever starts it may choose.
// all: refused
#include "attack.h"

int main(void) {
    unsigned long sibling = 0x8000; // CLONE_PARENT: a child of its own parent
    if (syscall(SYS_clone, sibling | SIGKILL, 0, 0, 0, 0) == 0) _exit(0);
    if (fork() == 0) {
        if (syscall(SYS_clone, SIGKILL, 0, 0, 0, 0) == 0) {
            usleep(100000); // until it is an orphan, and so a child of whoever watches
            _exit(0);
        }
        _exit(0);
    }
    usleep(300000);
    return tried();
}
