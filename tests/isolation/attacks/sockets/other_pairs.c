// Makes a pair of sockets of another family than the one allowed, with what a filter may not look at set, too.
// all: refused
#include "attack.h"
#include <sys/socket.h>

int main(void) {
    int ends[2];
    for (long family = 2; family < 50; family++)
        if (!syscall(SYS_socketpair, family, SOCK_STREAM, 0, ends) && family != 30) return reached();
    return refused();
}
