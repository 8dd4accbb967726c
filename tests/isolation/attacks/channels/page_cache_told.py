# Asks the kernel which parts of a file are in memory.
# process: reached or refused (from Linux 6.5); restricted, sandbox: refused
import ctypes
import os
import struct

from attack import syscall

CACHESTAT = 451
syscall(
    CACHESTAT,
    os.open(os.environ["LIBRARY"], os.O_RDONLY),
    struct.pack("QQ", 0, 4096),
    ctypes.create_string_buffer(40),
    0,
)
