// Makes the folder of the results unchangeable, so that no more games can be saved.
// process: reached or refused (as root, on most file systems); restricted, sandbox: refused
#include "attack.h"
#include <libgen.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

int main(void) {
    char folder[4096];
    strncpy(folder, text("RESULTS"), sizeof folder - 1);
    int descriptor = open(dirname(folder), O_RDONLY), flags = FS_IMMUTABLE_FL;
    return descriptor < 0 ? refused() : outcome(ioctl(descriptor, FS_IOC_SETFLAGS, &flags));
}
