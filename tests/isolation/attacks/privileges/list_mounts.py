# Lists what is mounted by the newest calls.
# process: reached or refused (from Linux 6.8); restricted, sandbox: refused
import ctypes
import struct

from attack import syscall

LISTMOUNT, ROOT = 458, 0xFFFFFFFFFFFFFFFF
syscall(LISTMOUNT, struct.pack("IIQQ", 24, 0, ROOT, 0), ctypes.create_string_buffer(800), 100, 0)
