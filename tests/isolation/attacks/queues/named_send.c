// Puts a message into a queue of the judge's that has a name.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <mqueue.h>

int main(void) {
    char name[100];
    snprintf(name, sizeof name, "/%s", text("MARK"));
    mqd_t queue = mq_open(name, O_WRONLY | O_NONBLOCK);
    return queue < 0 ? refused() : outcome(mq_send(queue, "mine", 4, 0));
}
