# Asks how a file system is mounted by the newest call.
# process: reached or refused (from Linux 6.8); restricted, sandbox: refused
import errno

from attack import refused, syscall

STATMOUNT = 457
try:
    syscall(STATMOUNT, 0, 0, 0, 0)
except OSError as error:
    if error.errno in (errno.ENOSYS, errno.EPERM):
        raise refused("it does not answer") from None
