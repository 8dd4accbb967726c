// Cuts off the results by creating them again.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_creat, text("RESULTS"), 0600)); }
