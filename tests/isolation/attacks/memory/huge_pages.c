// Takes 300 MB of the huge pages that a machine may keep for those who need them, which no limit counts.
// process: refused or reached (where the machine keeps some); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    long size = 300 << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (memory == MAP_FAILED) return refused();
    memset(memory, 1, size);
    sleep(1);
    return reached();
}
