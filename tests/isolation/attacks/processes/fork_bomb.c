// Starts processes that start processes: 300, if nothing stops it.
// all: refused or fault memory; process, restricted without processes: reached or refused or fault memory or fault crash (they are counted now and then)
#include "attack.h"

int main(void) {
    int *started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), first = getpid();
    while (__atomic_add_fetch(started, 1, __ATOMIC_SEQ_CST) <= 300) {
        int child = fork();
        if (child < 0) break;
        if (child == 0) alarm(8);
    }
    if (getpid() != first) wait_and_exit();
    usleep(200000);
    errno = EAGAIN;
    return *started > 300 ? reached() : refused();
}
