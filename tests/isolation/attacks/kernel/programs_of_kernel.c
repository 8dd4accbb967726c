// Loads a program into the kernel.
// process: reached or refused (as root, where the kernel has it); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    unsigned arguments[32] = {1, 4, 4, 1};
    return outcome(syscall(SYS_bpf, 0, arguments, sizeof arguments));
}
