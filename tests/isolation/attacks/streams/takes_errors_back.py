# Takes back its standard error output, so that a reader waits, and takes too much memory.
# all: fault memory
import contextlib
import os
import time

from attack import say


def start(work: object) -> None:
    if os.fork() == 0:
        while True:
            work()


def take() -> None:
    with contextlib.suppress(BlockingIOError):
        os.read(errors, 1)


try:
    errors = os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK)
except OSError:
    pass
else:
    start(lambda: os.write(2, b"x"))
    for _ in range(3):
        start(take)
    time.sleep(0.3)
taken = bytearray(300 << 20)
time.sleep(2)
say("reached")
