// Takes away what hides a folder.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"
#include <sys/mount.h>

int main(void) { return asked(umount2("/nonexistent", 0)); }
