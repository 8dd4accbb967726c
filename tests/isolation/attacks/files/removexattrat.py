# Removes an attribute of the folder of the results by a newer call.
# process: reached or refused (from Linux 6.13); restricted, sandbox: refused
import os

from attack import syscall

REMOVEXATTRAT, HERE = 466, -100
syscall(REMOVEXATTRAT, HERE, os.path.dirname(os.environ["RESULTS"]).encode(), 0, b"user.judge")
