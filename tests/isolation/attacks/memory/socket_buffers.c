// Has the kernel keep 100 MB and more in pairs of sockets.
// all: reached or refused or fault memory (at most 1,024 descriptors, and they count as its memory)
#include "attack.h"
#include <sys/socket.h>

int main(void) {
    static char block[1 << 20];
    for (int number = 0; number < 500; number++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return refused();
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        while (write(ends[0], block, sizeof block) > 0) {
        }
    }
    return reached();
}
