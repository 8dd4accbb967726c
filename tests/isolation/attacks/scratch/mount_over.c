// Mounts something over its temporary folder, so that the judge cannot remove it.
// process: reached or refused (as root); restricted, sandbox: refused
#include "attack.h"
#include <sys/mount.h>

int main(void) {
    if (mount("none", text("TMPDIR"), "tmpfs", 0, "size=4096")) return refused();
    umount2(text("TMPDIR"), MNT_DETACH);
    return reached();
}
