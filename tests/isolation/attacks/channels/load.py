# Tells another program something by how busy the machine is.
# pair; all: reached (no level stops it: both run on one machine, and time shows it)
import os
import time

from attack import keep, refused


def busy() -> int:
    return (
        sum(map(int, open("/proc/stat").readline().split()[1:4]))
        if os.access("/proc/stat", os.R_OK)
        else -1
    )


if os.environ["ROLE"] == "sends":
    keep(lambda: sum(range(300000)))
else:
    before = busy()
    time.sleep(0.5)
    if busy() == before:
        raise refused("nothing shows")
