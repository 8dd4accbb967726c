// Takes 300 MB in a child that shares all its memory, in a session of its own, under a name like the kernel's figures of a dead one.
// all: fault memory
#include "attack.h"

static int take(void *memory) {
    prctl(PR_SET_NAME, ") Z 1\n1 1 (\n");
    setsid();
    memset(memory, 1, 300 << 20);
    usleep(500000);
    return 0;
}

int main(void) {
    char *stack = malloc(1 << 16), *memory = mmap(NULL, 300 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    prctl(PR_SET_NAME, "a) Z 0 0 0 0 0");
    int status = 0;
    waitpid(clone(take, stack + (1 << 16), CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, memory), &status, 0);
    if (status) wait_and_exit(); // it was killed, and this one is about to be
    return reached();
}
