# Tells another program something by how many processes the machine has started.
# pair; process, restricted: reached (Landlock hides no numbers); sandbox: refused
import os
import time

from attack import keep, refused


def started() -> int:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child


if os.environ["ROLE"] == "sends":
    keep(lambda: [started() for _ in range(20)])
else:
    before = started()
    until = time.monotonic() + 4
    while (
        0 <= started() - before < 100
    ):  # below zero: the kernel has begun again after its highest number
        if time.monotonic() > until:
            raise refused("few were started")
        time.sleep(0.1)
