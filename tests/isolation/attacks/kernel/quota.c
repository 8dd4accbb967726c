// Sets how much of the disk others may use: on a disk that does not exist.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return asked(syscall(SYS_quotactl, 0x80000800, "/nonexistent", 0, NULL)); }
