// Takes 300 MB in a child, behind 400 dead ones that it does not collect.
// all: refused or fault memory
#include "attack.h"

int main(void) {
    int child = fork();
    if (child == 0) {
        usleep(300000);
        memset(malloc(300 << 20), 1, 300 << 20);
        sleep(1);
        _exit(0);
    }
    for (int number = 0; number < 400; number++) {
        int dead = fork();
        if (dead < 0) return refused();
        if (dead == 0) _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status) wait_and_exit(); // it was killed, and this one is about to be
    return reached();
}
