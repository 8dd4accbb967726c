// Hangs up the terminal of whoever started the match; it has none itself.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_vhangup)); }
