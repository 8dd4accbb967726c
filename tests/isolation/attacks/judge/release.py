# Has the kernel take the judge's memory away.
# all: refused
import os

from attack import syscall

PIDFD_OPEN, PROCESS_MRELEASE = 434, 448
syscall(PROCESS_MRELEASE, syscall(PIDFD_OPEN, int(os.environ["JUDGE"]), 0), 0)
