# Makes a ring in which the kernel makes sockets for it, past a filter.
# process: reached or refused (where the kernel has it); restricted, sandbox: refused
import ctypes

from attack import syscall

IO_URING_SETUP = 425
syscall(IO_URING_SETUP, 4, ctypes.create_string_buffer(120))
