# Tells another program something by a lock of part of a file that both may read.
# pair; process: reached; restricted, sandbox: refused
import fcntl
import os
import struct

from attack import keep, refused

library = os.open(os.environ["LIBRARY"], os.O_RDONLY)
if os.environ["ROLE"] == "sends":
    fcntl.lockf(library, fcntl.LOCK_SH)
    keep(lambda: None)
else:
    lock = fcntl.fcntl(library, fcntl.F_GETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
    if struct.unpack("hhqqi", lock)[0] == fcntl.F_UNLCK:
        raise refused("the file is not locked")
