# Tells another program something by having the kernel keep a file in memory.
# pair; all: reached (no level stops a program from noticing what is quick to read)
import os

from attack import keep, refused

ELEVATED, NO_WAITING = os.open(os.environ["ELEVATED"], os.O_RDONLY), 8
if os.environ["ROLE"] == "sends":
    os.pread(ELEVATED, 4096, 0)
    keep(lambda: None)
else:
    try:
        os.preadv(ELEVATED, [bytearray(4096)], 0, NO_WAITING)
    except BlockingIOError:
        raise refused("the file is not in memory") from None
