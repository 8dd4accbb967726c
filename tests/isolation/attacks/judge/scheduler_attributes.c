// Changes how the judge is scheduled, by a newer call.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    struct {
        unsigned size, policy;
        unsigned long long flags;
        int nice;
        unsigned priority;
        unsigned long long times[3];
    } attributes = {sizeof attributes, SCHED_BATCH};
    return outcome(syscall(SYS_sched_setattr, number("JUDGE"), &attributes, 0));
}
