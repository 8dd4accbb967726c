// Changes where the kernel believes its program to be.
// process: reached or refused (as root with all rights); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, open("/bin/sh", O_RDONLY), 0, 0)); }
