// Kills the judge by the number of its thread.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    long result = syscall(SYS_tgkill, number("JUDGE"), number("JUDGE"), SIGKILL);
    usleep(100000);
    return outcome(result);
}
