// Makes a namespace for a child by the newest call, whose flags a filter cannot see.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    unsigned long arguments[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    int child = syscall(435, arguments, sizeof arguments);
    if (child == 0) _exit(0);
    return outcome(child);
}
