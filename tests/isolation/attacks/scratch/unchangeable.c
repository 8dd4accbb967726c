// Leaves a file that even its owner cannot remove.
// process: reached or refused (as root, on most file systems); restricted, sandbox: refused
#include "attack.h"
#include <linux/fs.h>
#include <sys/ioctl.h>

int main(void) {
    char own[4096];
    snprintf(own, sizeof own, "%s/own", text("TMPDIR"));
    int descriptor = open(own, O_CREAT | O_RDONLY, 0600), flags = FS_IMMUTABLE_FL;
    return outcome(ioctl(descriptor, FS_IOC_SETFLAGS, &flags));
}
