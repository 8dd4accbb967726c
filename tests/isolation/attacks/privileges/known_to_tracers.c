// Lets everybody trace it.
// all: reached (only what is inside sees it, and nothing may trace)
#include "attack.h"

int main(void) { return outcome(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); }
