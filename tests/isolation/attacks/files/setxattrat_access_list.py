# Lets everybody into the folder of the results, by a list of access rights and a newer call.
# process: reached or refused (from Linux 6.13); restricted, sandbox: refused
import ctypes
import os
import struct

from attack import syscall

SETXATTRAT, HERE = 463, -100
# The owner, the group, a mask and all others, with all rights.
rights = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, 7, 0xFFFFFFFF) for tag in (1, 4, 0x10, 0x20)
)
value = ctypes.create_string_buffer(rights, len(rights))
arguments = struct.pack("QII", ctypes.addressof(value), len(rights), 0)
folder = os.path.dirname(os.environ["RESULTS"])
syscall(SETXATTRAT, HERE, folder.encode(), 0, b"system.posix_acl_access", arguments, len(arguments))
