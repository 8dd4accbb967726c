// Makes what it may only read writable: asks about a folder that does not exist.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"
#include <sys/mount.h>

int main(void) { return asked(mount("none", "/nonexistent", NULL, MS_REMOUNT | MS_BIND, NULL)); }
