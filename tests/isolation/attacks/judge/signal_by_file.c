// Has the kernel send the judge a signal when there is something to read.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    int ends[2];
    pipe(ends);
    struct f_owner_ex judge = {F_OWNER_PID, number("JUDGE")};
    if (fcntl(ends[0], F_SETOWN_EX, &judge) || fcntl(ends[0], F_SETSIG, SIGKILL)) return refused();
    if (fcntl(ends[0], F_SETFL, O_ASYNC)) return refused();
    write(ends[1], "x", 1);
    usleep(100000);
    return tried();
}
