# Reads the flags of the folder of the results by a newer call.
# process: reached or refused (from Linux 6.17); restricted, sandbox: refused
import ctypes
import os

from attack import syscall

FILE_GETATTR, HERE = 468, -100
syscall(
    FILE_GETATTR,
    HERE,
    os.path.dirname(os.environ["RESULTS"]).encode(),
    ctypes.create_string_buffer(24),
    24,
    0,
)
