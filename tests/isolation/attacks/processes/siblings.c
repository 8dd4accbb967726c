// Starts 40 processes that are not its own children but its parent's, which watches it.
// all: refused or fault memory
#include "attack.h"

int main(void) {
    for (int number = 0; number < 40; number++) {
        int child = syscall(SYS_clone, 0x8000 | SIGCHLD, 0, 0, 0, 0); // CLONE_PARENT
        if (child == -1) return refused();
        if (child == 0) {
            setsid();
            wait_and_exit();
        }
    }
    sleep(1);
    return reached();
}
