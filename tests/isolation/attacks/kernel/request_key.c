// Has the kernel ask a program of the machine for a key.
// process: reached or refused (where the kernel has keys); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    long result = syscall(SYS_request_key, "user", "nobody has this one", NULL, 0);
    return asked(result);
}
