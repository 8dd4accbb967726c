# Mounts by any of the newer calls, given arguments that none accepts.
# process: reached or refused (as root with all rights); restricted, sandbox: refused
import errno

from attack import refused, syscall

OPEN_TREE, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT, FSPICK, MOUNT_SETATTR, OPEN_TREE_ATTR = (
    428,
    429,
    430,
    431,
    432,
    433,
    442,
    467,
)
for number in (
    OPEN_TREE,
    MOVE_MOUNT,
    FSOPEN,
    FSCONFIG,
    FSMOUNT,
    FSPICK,
    MOUNT_SETATTR,
    OPEN_TREE_ATTR,
):
    try:
        syscall(number, -1, 0, 0, 0, 0)
        break
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            break
else:
    raise refused("none answers")
