# Ignores every signal that can be ignored, and leaves children that do.
# all: refused
import os
import signal
import time
from contextlib import suppress

from attack import say

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM}:
    with suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
for _ in range(5):
    if os.fork() == 0:
        signal.alarm(25)
        time.sleep(25)
        os._exit(0)
say("tried")
