// Finds out that another program has memory with the same content, which the kernel keeps once for both and counts.
// process: reached or refused (where the kernel merges memory); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    char *memory = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return outcome(madvise(memory, 4 << 20, 12)); // MADV_MERGEABLE
}
