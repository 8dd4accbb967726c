// Starts processes in sessions of their own when its input ends, and while it is being killed.
// all: refused; process, restricted without end: refused or reached
#include "attack.h"

int main(void) {
    for (int number = 0; number < 6; number++)
        if (fork() == 0) {
            char byte;
            setsid();
            signal(SIGTERM, SIG_IGN);
            read(0, &byte, 1);
            for (int generation = 0; generation < 3000; generation++) {
                if (fork() > 0) _exit(0);
                setsid();
            }
            wait_and_exit();
        }
    return tried();
}
