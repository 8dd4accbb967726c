// Makes another folder its root, and climbs out of it.
// process: reached; process without root: refused; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(chroot(text("TMPDIR"))); }
