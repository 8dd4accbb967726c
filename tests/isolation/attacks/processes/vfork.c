// Makes a chain of children whose parents wait for them.
// all: refused or fault memory or fault crash; process, restricted without processes: reached or refused or fault memory or fault crash (they are counted now and then)
#include "attack.h"

static void next(int depth) {
    if (vfork() == 0) {
        if (depth < 100) next(depth + 1);
        execl("/bin/sleep", text("MARK"), "20", NULL);
        _exit(0);
    }
}

int main(void) {
    if (fork() == 0) {
        next(0);
        wait_and_exit();
    }
    usleep(200000);
    return tried();
}
