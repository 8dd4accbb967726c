// Takes 300 MB as a shared file without a name, of which it maps nothing.
// process: fault memory; process without memory: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    int file = syscall(SYS_memfd_create, "own", 0);
    if (file < 0) return refused();
    static char block[1 << 20];
    memset(block, 1, sizeof block);
    for (int taken = 0; taken < 300; taken++)
        if (write(file, block, sizeof block) < 0) return refused();
    sleep(1);
    return reached();
}
