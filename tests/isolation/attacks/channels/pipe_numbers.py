# Tells another program something by how many pipes the machine has made, as a new one shows.
# pair; all: reached (no level stops it: the kernel numbers the pipes of all programs in one row)
import contextlib
import os
import time

from attack import keep, refused


def made(count: int) -> int:
    highest = 0
    for _ in range(count):
        ends = os.pipe()
        highest = max(highest, os.fstat(ends[0]).st_ino)
        for end in ends:
            os.close(end)
    return highest


with contextlib.suppress(OSError):
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
if os.environ["ROLE"] == "sends":
    keep(lambda: made(3000))
else:
    own, before = 0, made(1024)  # each processor takes 1024 numbers at a time
    until = time.monotonic() + 6
    while made(256) - before - own < 20_000:
        own += 256
        if time.monotonic() > until:
            raise refused("few were made")
        time.sleep(0.05)
