// Has the machine keep accounts of all programs: in a file that does not exist.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(syscall(SYS_acct, "/nonexistent")); }
