// Writes single letters that are kept apart to its standard error, from four processes without end, and takes 300 MB meanwhile.
// all: fault memory
#include "attack.h"

int main(void) {
    fcntl(2, F_SETFL, fcntl(2, F_GETFL) | O_DIRECT);
    for (int number = 0; number < 4; number++)
        if (fork() == 0)
            for (;;) write(2, "x", 1);
    usleep(100000);
    memset(malloc(300 << 20), 1, 300 << 20);
    sleep(2);
    return reached();
}
