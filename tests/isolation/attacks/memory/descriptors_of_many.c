// Opens 18,000 files at a time, in twenty processes.
// all: reached (each process has its own limit, and their memory is counted)
#include "attack.h"

int main(void) {
    int failed[2];
    pipe2(failed, O_NONBLOCK);
    for (int child = 0; child < 18; child++)
        if (fork() == 0) {
            for (int number = 0; number < 1000; number++)
                if (open("/dev/null", O_RDONLY) < 0) {
                    write(failed[1], "x", 1);
                    break;
                }
            wait_and_exit();
        }
    sleep(1);
    char byte;
    errno = EMFILE;
    return read(failed[0], &byte, 1) == 1 ? refused() : reached();
}
