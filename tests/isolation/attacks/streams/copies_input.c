// Has the kernel copy its input into its output, for every line of the judge's to be its answer.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    int back = open("/proc/self/fd/0", O_WRONLY);
    if (back < 0) return refused();
    write(back, "reached\n", 8);
    if (syscall(SYS_tee, 0, 1, 8, 0) < 0) return refused();
    for (;;) pause();
}
