// Has every letter of its answer written by another process, each the child of the one before, in a session of its own.
// all: refused (a line is a line, whoever writes it)
#include "attack.h"

int main(void) {
    for (char *letter = "tried\n"; *letter; letter++) {
        write(1, letter, 1);
        if (fork() > 0) break;
        setsid();
    }
    wait_and_exit();
}
