// Has the kernel treat a page of memory as broken, and take it from the machine for good: none, at an address where nothing is.
// process: reached or refused (as root); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    return asked(madvise((void *)(1L << 40), 4096, 100)); // MADV_HWPOISON
}
