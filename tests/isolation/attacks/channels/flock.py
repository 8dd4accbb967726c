# Tells another program something by a lock of a file that both may read.
# pair; process: reached; restricted, sandbox: refused
import fcntl
import os

from attack import keep, refused

library = os.open(os.environ["LIBRARY"], os.O_RDONLY)
if os.environ["ROLE"] == "sends":
    fcntl.flock(library, fcntl.LOCK_EX)
    keep(lambda: None)
else:
    try:
        fcntl.flock(library, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    else:
        raise refused("the file is not locked")
