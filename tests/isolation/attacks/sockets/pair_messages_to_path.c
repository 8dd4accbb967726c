// Sends several messages at once to a socket that has a path, from a socket that was made in a pair.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/socket.h>
#include <sys/un.h>

int main(void) {
    int ends[2];
    struct sockaddr_un judge = {AF_UNIX};
    strncpy(judge.sun_path, text("DATAGRAMS"), sizeof judge.sun_path - 1);
    struct iovec content = {"mine", 4};
    struct mmsghdr message = {{&judge, sizeof judge, &content, 1}};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) return refused();
    return outcome(sendmmsg(ends[0], &message, 1, 0));
}
