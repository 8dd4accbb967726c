# Tells another program something by how many files the whole machine has open.
# pair; process: reached; restricted, sandbox: refused
import os
import time

from attack import keep, refused


def opens_many() -> None:
    opened = [os.open("/dev/null", os.O_RDONLY) for _ in range(900)]
    time.sleep(0.1)
    for descriptor in opened:
        os.close(descriptor)
    time.sleep(0.1)


def opened() -> int:
    time.sleep(0.03)
    return int(open("/proc/sys/fs/file-nr").read().split()[0])


if os.environ["ROLE"] == "sends":
    keep(opens_many)
else:
    found = [opened() for _ in range(30)]
    if max(found) - min(found) < 800:
        raise refused("nothing shows")
