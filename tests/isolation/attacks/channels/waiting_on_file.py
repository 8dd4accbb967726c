# Tells another program something by waking it at a place in a file that both may only read.
# pair; process: reached
# restricted, sandbox: reached (no level stops it: threads wait so, and any file will do)
import ctypes
import mmap
import os
import platform
import time

from attack import call, keep, libc, refused

FUTEX = {"x86_64": 202, "aarch64": 98}[platform.machine()]
WAIT, WAKE = 0, 1
file = os.open(os.environ["LIBRARY"], os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
place = libc.mmap(
    None, ctypes.c_long(4096), mmap.PROT_READ, mmap.MAP_PRIVATE, file, ctypes.c_long(0)
)
address = ctypes.c_void_p(place)
if os.environ["ROLE"] == "sends":
    content = ctypes.c_uint32.from_address(place).value
    if os.fork() == 0:
        call("syscall", FUTEX, address, WAIT, content, None)
        os._exit(0)
    keep(lambda: None)
else:
    until = time.monotonic() + 2
    while call("syscall", FUTEX, address, WAKE, 1) == 0:
        if time.monotonic() > until:
            raise refused("nobody waits there")
        time.sleep(0.02)
