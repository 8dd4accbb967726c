# Takes memory that not even the kernel maps.
# process: reached or refused (from Linux 5.14); restricted, sandbox: refused
from attack import syscall

MEMFD_SECRET = 447
syscall(MEMFD_SECRET, 0)
