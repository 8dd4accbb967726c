// Makes a system call as 32-bit programs do: all below 512, with arguments that none accepts.
// process: refused or reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    if (!*text("REVIEWED")) return tried();
#ifdef __x86_64__
    for (long call = 0; call < 512; call++) {
        int state, child = fork();
        if (child == 0) {
            long result, bad = -1;
            alarm(2);
            __asm__ volatile("int $0x80" : "=a"(result) : "a"(call), "b"(bad), "c"(bad), "d"(bad) : "memory", "r8", "r9", "r10", "r11");
            _exit(result == -ENOSYS ? 0 : 1);
        }
        waitpid(child, &state, 0);
        if (state && !WIFSIGNALED(state)) return said("reached by the call %ld", call);
    }
#endif
    errno = ENOSYS;
    return refused();
}
