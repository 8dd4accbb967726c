// Sets the machine's clock: one that cannot be set.
// restricted, sandbox: refused; process: reached
#include "attack.h"
#include <time.h>

int main(void) { return asked(syscall(SYS_clock_settime, CLOCK_MONOTONIC, &(struct timespec){})); }
