// Reserves 10 TB of addresses.
// all: reached (addresses are no memory)
#include "attack.h"

int main(void) {
    void *block = mmap(NULL, 10L << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block == MAP_FAILED ? refused() : reached();
}
