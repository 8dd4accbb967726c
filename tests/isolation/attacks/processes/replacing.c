// Replaces itself by its child, again and again, so that no list of processes is ever up to date.
// all: refused or fault crash; process, restricted without end: refused or reached or fault crash or fault memory
#include "attack.h"

int main(void) {
    if (fork() == 0) {
        setsid();
        for (int generation = 0; generation < 20000; generation++) {
            int child = fork();
            if (child < 0) usleep(100);
            if (child > 0) _exit(0);
            if (child == 0) setpgid(0, 0);
        }
        wait_and_exit();
    }
    usleep(200000);
    return tried();
}
