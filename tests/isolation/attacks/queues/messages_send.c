// Puts a message into a queue of the judge's.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/msg.h>

int main(void) {
    long message[2] = {1, 2};
    return outcome(msgsnd(number("MESSAGES"), message, 8, IPC_NOWAIT));
}
