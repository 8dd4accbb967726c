// Makes a queue that has a name and stays after its end.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <mqueue.h>

int main(void) {
    char name[100];
    snprintf(name, sizeof name, "/%s-own", text("MARK"));
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, NULL);
    mq_unlink(name);
    return outcome(queue);
}
