// Opens the results by the oldest call.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
#ifdef SYS_open
    return outcome(syscall(SYS_open, text("RESULTS"), O_RDWR));
#else
    return outcome(open(text("RESULTS"), O_RDWR));
#endif
}
