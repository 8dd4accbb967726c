// Sets the machine's clock by the oldest call: to a time that does not exist.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/time.h>

int main(void) { return asked(syscall(SYS_settimeofday, &(struct timeval){0, 2000000}, NULL)); }
