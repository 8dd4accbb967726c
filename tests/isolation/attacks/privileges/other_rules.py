# Adds rules for files that allow more than those that it is under.
# process: reached or refused (as root); restricted, sandbox: refused
import os
import struct

from attack import syscall

CREATE, RESTRICT = 444, 446
rules = syscall(CREATE, struct.pack("Q", 1), 8, 0)
syscall(RESTRICT, rules, 0)
os.close(rules)
