// Counts what other programs do on the processor.
// process: reached or refused (as root, where the kernel has it); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    unsigned char attributes[112] = {1, 0, 0, 0, 112};
    return outcome(syscall(SYS_perf_event_open, attributes, -1, 0, -1, 0));
}
