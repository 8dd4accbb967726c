# Lists the attributes of the folder of the results by a newer call.
# process: reached or refused (from Linux 6.13); restricted, sandbox: refused
import ctypes
import os

from attack import syscall

LISTXATTRAT, HERE = 465, -100
syscall(
    LISTXATTRAT,
    HERE,
    os.path.dirname(os.environ["RESULTS"]).encode(),
    0,
    ctypes.create_string_buffer(100),
    100,
)
