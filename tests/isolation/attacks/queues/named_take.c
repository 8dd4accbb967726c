// Takes a message out of a queue of the judge's that has a name.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <mqueue.h>

int main(void) {
    static char name[100], message[1 << 16];
    snprintf(name, sizeof name, "/%s", text("MARK"));
    mqd_t queue = mq_open(name, O_RDONLY | O_NONBLOCK);
    return queue < 0 ? refused() : outcome(mq_receive(queue, message, sizeof message, NULL));
}
