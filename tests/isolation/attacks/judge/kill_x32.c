// Kills the judge by a call with the numbers of a third kind of programs.
// all: refused or fault crash
#include "attack.h"

int main(void) {
    long result = syscall(0x40000000 + SYS_kill, number("JUDGE"), SIGKILL);
    usleep(100000);
    return outcome(result);
}
