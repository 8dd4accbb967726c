// Takes a message out of a queue of the judge's.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/msg.h>

int main(void) {
    char message[100];
    return outcome(msgrcv(number("MESSAGES"), message, 64, 0, IPC_NOWAIT));
}
