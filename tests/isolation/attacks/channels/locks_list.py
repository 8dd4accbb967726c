# Finds a lock of another program's in the kernel's list of all.
# pair; process: reached; restricted, sandbox: refused
import fcntl
import os

from attack import keep, refused

if os.environ["ROLE"] == "sends":
    own = open(os.path.join(os.environ["TMPDIR"], "own"), "w")
    fcntl.lockf(own, fcntl.LOCK_EX, 1, 12345)
    keep(lambda: None)
elif " 12345 12345" not in open("/proc/locks").read():
    raise refused("it is not there")
