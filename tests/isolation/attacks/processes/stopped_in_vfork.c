// Waits for a child that has it wait, and that has stopped itself, in a session of its own.
// all: fault timeout
#include "attack.h"

int main(void) {
    if (vfork() == 0) {
        setsid();
        kill(getpid(), SIGSTOP);
        _exit(0);
    }
    return reached();
}
