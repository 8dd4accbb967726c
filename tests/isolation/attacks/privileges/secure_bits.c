// Changes what becoming root would mean.
// process: reached; process without root: refused; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0)); }
