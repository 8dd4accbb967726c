// Runs a program that is in no file.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_memfd_create, "own", 0)); }
