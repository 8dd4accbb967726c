// Finds another program at a queue that has a name.
// pair; process: reached; restricted, sandbox: refused
#include "attack.h"
#include <mqueue.h>

int main(void) {
    char name[100];
    snprintf(name, sizeof name, "/%s-told", text("MARK"));
    if (!strcmp(text("ROLE"), "receives")) return outcome(mq_open(name, O_RDONLY));
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, NULL);
    if (queue < 0) return refused();
    tried();
    mq_unlink(name);
}
