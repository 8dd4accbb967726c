# Has the kernel move the judge's memory out.
# process: reached or refused (where the kernel can); restricted, sandbox: refused
import ctypes
import os
import struct

from attack import syscall

PIDFD_OPEN, PROCESS_MADVISE, COLD = 434, 440, 20
judge = syscall(PIDFD_OPEN, int(os.environ["JUDGE"]), 0)
page = ctypes.create_string_buffer(struct.pack("QQ", int(os.environ["STACK"], 16) - 4096, 4096))
syscall(PROCESS_MADVISE, judge, page, 1, COLD, 0)
