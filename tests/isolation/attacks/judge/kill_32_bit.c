// Kills the judge by a call as 32-bit programs make it, which a filter for 64 bits does not see.
// process: reached or refused (on x86, where the kernel has 32 bits); restricted, sandbox: refused or fault crash
#include "attack.h"

int main(void) {
    long result = -ENOSYS;
#ifdef __x86_64__
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(37L), "b"(number("JUDGE")), "c"(9L) : "memory", "r8", "r9", "r10", "r11");
#endif
    usleep(100000);
    errno = result < 0 ? -result : 0;
    return errno ? refused() : reached();
}
