// Takes 300 MB, in three processes.
// all: fault memory
#include "attack.h"

int main(void) {
    int done[2];
    pipe(done);
    for (int child = 0; child < 3; child++)
        if (fork() == 0) {
            char *block = malloc(100 << 20);
            if (!block) return refused();
            memset(block, 1, 100 << 20);
            write(done[1], "x", 1);
            wait_and_exit();
        }
    char byte;
    for (int child = 0; child < 3; child++) read(done[0], &byte, 1);
    sleep(1);
    return reached();
}
