// Hides its memory and environment from the judge.
// all: reached (the judge counts by control group, and root sees it)
#include "attack.h"

int main(void) { return outcome(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }
