// Traces the judge.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/ptrace.h>

int main(void) { return outcome(ptrace(PTRACE_SEIZE, number("JUDGE"), 0, 0)); }
