// Has the kernel keep 200 MB of page tables for memory that it hardly uses.
// process, restricted, sandbox: fault memory; all without memory: reached (page tables are no memory of the program)
#include "attack.h"

int main(void) {
    for (long part = 0; part < 55; part++) {
        char *block = mmap(NULL, 2L << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (block == MAP_FAILED) return refused();
        for (long place = 0; place < 2L << 30; place += 2 << 20) (void)*(volatile char *)(block + place);
    }
    sleep(1);
    return reached();
}
