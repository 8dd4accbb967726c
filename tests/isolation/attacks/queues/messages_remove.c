// Removes a queue of the judge's.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/msg.h>

int main(void) { return outcome(msgctl(number("MESSAGES"), IPC_RMID, NULL)); }
