// Gives 250 MB of its memory to pipes, and has none of it left itself.
// process: fault memory or refused; restricted, sandbox: refused; process without memory: reached or refused (pipes are no memory of the program)
#include "attack.h"

int main(void) {
    for (int number = 0; number < 250; number++) {
        int ends[2];
        if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < 0) return refused();
        char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(memory, 1, 1 << 20);
        struct iovec { void *start; size_t size; } all = {memory, 1 << 20};
        if (syscall(SYS_vmsplice, ends[1], &all, 1, 2) < 0) return refused(); // SPLICE_F_NONBLOCK
        munmap(memory, 1 << 20);
    }
    sleep(1);
    return reached();
}
