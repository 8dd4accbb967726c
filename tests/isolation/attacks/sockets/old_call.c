// Makes a socket by the call of 32-bit programs for everything about sockets.
// process: reached or refused (on x86, where the kernel has 32 bits); restricted, sandbox: refused or fault crash
#include "attack.h"

int main(void) {
    long result = -ENOSYS;
#ifdef __x86_64__
    unsigned *arguments = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    arguments[0] = 2, arguments[1] = 1, arguments[2] = 0;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(102L), "b"(1L), "c"(arguments) : "memory", "r8", "r9", "r10", "r11");
#endif
    errno = result < 0 ? -result : 0;
    return errno ? refused() : reached();
}
