# Saves its work when it is told to end, by a signal or otherwise, and takes its time.
# all: refused (it is ended)
import atexit
import os
import signal
import time
from pathlib import Path

from attack import say


def save(*_: object) -> None:
    Path(os.environ["TMPDIR"], "state").write_text("x" * 10_000)
    time.sleep(3)


for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, save)
atexit.register(save)
say("tried")
