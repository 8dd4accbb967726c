// Joins a ring of keys that has a name, which others could join, too.
// process: reached or refused (where the kernel has keys); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_keyctl, 1, text("MARK"))); }
