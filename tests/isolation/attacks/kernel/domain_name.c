// Renames the machine's domain: to a name that is too long.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(setdomainname("x", 100)); }
