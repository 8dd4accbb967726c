// Makes a namespace in which it is root.
// process: reached or refused (where the machine lets users); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(unshare(CLONE_NEWUSER)); }
