// Replaces itself by children that share its memory, each a leader of its own group.
// all: refused or fault crash; process, restricted without end: refused or reached or fault crash
#include "attack.h"

static char stacks[64][16384];

static int next(void *generation) {
    long number = (long)generation;
    setpgid(0, 0);
    if (number < 20000) clone(next, stacks[number % 64] + 16000, CLONE_VM | SIGCHLD, (void *)(number + 1));
    else wait_and_exit();
    _exit(0);
}

int main(void) {
    clone(next, stacks[0] + 16000, CLONE_VM | SIGCHLD, (void *)1);
    usleep(200000);
    return tried();
}
