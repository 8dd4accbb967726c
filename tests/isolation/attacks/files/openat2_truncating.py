# Cuts off the results by a newer call for opening.
# process: reached; restricted, sandbox: refused
import os
import struct

from attack import syscall

OPENAT2, HERE = 437, -100
syscall(
    OPENAT2,
    HERE,
    os.environ["RESULTS"].encode(),
    struct.pack("3Q", os.O_RDWR | os.O_TRUNC, 0, 0),
    24,
)
