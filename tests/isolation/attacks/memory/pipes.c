// Has the kernel keep 250 MB in pipes.
// process: fault memory or refused; restricted, sandbox: refused or fault memory; all without memory: reached or refused (pipes are no memory of the program)
#include "attack.h"

int main(void) {
    static char block[1 << 20];
    for (int number = 0; number < 250; number++) {
        int ends[2];
        if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, sizeof block) < 0) return refused();
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        write(ends[1], block, sizeof block);
    }
    sleep(1);
    return reached();
}
