// Is traced by its own child, so that its end waits for that.
// process: refused or reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/ptrace.h>

int main(void) {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    int child = fork();
    if (child == 0) wait_and_exit();
    if (ptrace(PTRACE_SEIZE, child, 0, 0x100000)) return refused();
    return tried();
}
