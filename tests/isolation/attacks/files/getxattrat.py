# Reads an attribute of the folder of the results by a newer call.
# process: reached or refused (from Linux 6.13); restricted, sandbox: refused
import ctypes
import os
import struct

from attack import syscall

GETXATTRAT, HERE = 464, -100
value = ctypes.create_string_buffer(100)
arguments = struct.pack("QII", ctypes.addressof(value), 100, 0)
syscall(
    GETXATTRAT,
    HERE,
    os.path.dirname(os.environ["RESULTS"]).encode(),
    0,
    b"user.judge",
    arguments,
    len(arguments),
)
