// Makes a system call with the numbers of a third kind of programs: all below 1,024.
// process: refused or reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    if (!*text("REVIEWED")) return tried();
    for (int call = 0; call < 1024; call++) {
        int state, child = fork();
        if (child == 0) {
            alarm(2);
            _exit(syscall(0x40000000 + call, -1, -1, -1, -1, -1, -1) == -1 && errno == ENOSYS ? 0 : 1);
        }
        waitpid(child, &state, 0);
        if (state && !WIFSIGNALED(state)) return said("reached by the call %d", call);
    }
    errno = ENOSYS;
    return refused();
}
