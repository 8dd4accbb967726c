// Kills the judge by the oldest call for threads.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    long result = syscall(SYS_tkill, number("JUDGE"), SIGKILL);
    usleep(100000);
    return outcome(result);
}
