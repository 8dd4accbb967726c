# Tells another program something by the kernel's count of processes started.
# pair; process: reached
# restricted, sandbox: reached (no level stops it: the file also tells how many cores there are)
import os
import time

from attack import keep, refused


def started() -> int:
    return next(int(line.split()[1]) for line in open("/proc/stat") if line.startswith("processes"))


if os.environ["ROLE"] == "sends":
    keep(lambda: [os.fork() or os._exit(0) for _ in range(5)] and [os.wait() for _ in range(5)])
else:
    before = started()
    time.sleep(1)
    if started() - before < 50:
        raise refused("few were started")
