# Changes the mode of the results by a newer call.
# process: reached; restricted, sandbox: refused
import os

from attack import syscall

FCHMODAT2, HERE = 452, -100
syscall(FCHMODAT2, HERE, os.environ["RESULTS"].encode(), 0o644, 0)
