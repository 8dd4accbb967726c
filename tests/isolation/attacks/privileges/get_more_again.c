// Takes back that it may not get more rights.
// all: refused
#include "attack.h"

int main(void) { return outcome(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0)); }
