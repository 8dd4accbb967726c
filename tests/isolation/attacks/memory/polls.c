// Watches watchers of watchers, which the kernel would follow without end.
// all: refused
#include "attack.h"
#include <sys/epoll.h>

int main(void) {
    int inner = epoll_create1(0);
    for (int depth = 0; depth < 50; depth++) {
        struct epoll_event event = {.events = EPOLLIN};
        int outer = epoll_create1(0);
        if (epoll_ctl(outer, EPOLL_CTL_ADD, inner, &event)) return refused();
        inner = outer;
    }
    return reached();
}
