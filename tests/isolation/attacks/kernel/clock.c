// Sets the machine's clock: by an impossible step.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"
#include <sys/timex.h>

int main(void) {
    struct timex step = {.modes = ADJ_TICK, .tick = 1};
    return asked(syscall(SYS_adjtimex, &step));
}
