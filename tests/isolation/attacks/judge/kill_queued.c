// Kills the judge by a signal that it makes up itself.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    siginfo_t made = {.si_code = SI_QUEUE};
    long result = syscall(SYS_rt_sigqueueinfo, number("JUDGE"), SIGKILL, &made);
    usleep(100000);
    return outcome(result);
}
