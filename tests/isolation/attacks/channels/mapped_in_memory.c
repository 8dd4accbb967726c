// Asks the kernel which parts of a file that others read are in memory.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    unsigned char found;
    void *library = mmap(NULL, 4096, PROT_READ, MAP_SHARED, open(text("LIBRARY"), O_RDONLY), 0);
    return library == MAP_FAILED ? refused() : outcome(mincore(library, 1, &found));
}
