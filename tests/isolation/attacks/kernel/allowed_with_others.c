// Uses a call that is allowed for some purposes for another one.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/ioctl.h>
#include <sys/vfs.h>

int main(void) {
    int file = open(text("LIBRARY"), O_RDONLY), found;
    for (long request = 0x5402; request < 0x5470; request++)
        if (request != 0x5413 && request != 0x541B && request != 0x5421 && request != 0x5450 && request != 0x5451)
            if (!ioctl(0, request, &found) || errno == EFAULT) return said("reached by ioctl %lx", request);
    for (int command = 8; command < 64; command++)
        if (fcntl(file, command, 0) != -1) return said("reached by fcntl %d", command);
    for (int command = 1024; command < 1040; command++)
        if ((command < 1030 || command > 1032) && fcntl(file, command, 0) != -1) return said("reached by fcntl %d", command);
    errno = EPERM;
    return refused();
}
