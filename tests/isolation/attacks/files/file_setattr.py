# Makes the folder of the results unchangeable by a newer call.
# process: reached or refused (from Linux 6.17); restricted, sandbox: refused
import os
import struct

from attack import syscall

FILE_SETATTR, HERE, IMMUTABLE = 469, -100, 8
syscall(
    FILE_SETATTR,
    HERE,
    os.path.dirname(os.environ["RESULTS"]).encode(),
    struct.pack("Q4I", IMMUTABLE, 0, 0, 0, 0),
    24,
    0,
)
