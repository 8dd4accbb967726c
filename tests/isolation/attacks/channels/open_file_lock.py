# Tells another program something by a lock that belongs to an open file.
# pair; process: reached; restricted, sandbox: refused
import fcntl
import os
import struct

from attack import keep, refused

GET, SET = 36, 37
library = os.open(os.environ["LIBRARY"], os.O_RDONLY)
if os.environ["ROLE"] == "sends":
    fcntl.fcntl(library, SET, struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0))
    keep(lambda: None)
else:
    lock = fcntl.fcntl(library, GET, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
    if struct.unpack("hhqqi", lock)[0] == fcntl.F_UNLCK:
        raise refused("the file is not locked")
