// Asks for cores that no other process runs on.
// process: reached or refused (where processors share); restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(prctl(62, 1, 0, 0, 0)); }
