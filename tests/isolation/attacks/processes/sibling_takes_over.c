// Ends at once, and goes on as a process that was never its child but its parent's.
// all: fault crash
#include "attack.h"

int main(void) {
    if (syscall(SYS_clone, 0x8000 | SIGCHLD, 0, 0, 0, 0)) _exit(0); // CLONE_PARENT
    setsid();
    sleep(1);
    return reached();
}
