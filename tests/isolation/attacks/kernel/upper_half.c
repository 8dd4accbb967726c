// Sets what the kernel ignores in an argument and a filter may not, to pass one that it forbids.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/ioctl.h>
#include <sys/socket.h>

int main(void) {
    long upper = 1L << 32;
    int file = open(text("LIBRARY"), O_RDONLY);
    long results[] = {
        syscall(SYS_ioctl, 0, TIOCSTI | upper, "x") == 0 || errno == ENOTTY,
        syscall(SYS_fcntl, file, F_SETLEASE | upper, F_RDLCK) == 0,
        syscall(SYS_fcntl, file, F_OFD_GETLK | upper, &(struct flock){F_WRLCK}) == 0,
        syscall(SYS_socketpair, 16 | upper, SOCK_RAW, 0, (int[2]){}) == 0 || errno == EOPNOTSUPP,
        syscall(SYS_prlimit64, number("JUDGE") | upper, RLIMIT_NOFILE, NULL, &(struct rlimit){}) == 0,
    };
    errno = EPERM;
    for (int number = 0; number < 5; number++)
        if (results[number]) return said("reached %d", number);
    return refused();
}
