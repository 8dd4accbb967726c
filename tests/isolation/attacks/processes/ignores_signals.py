# Ignores every signal that can be ignored, and leaves children that do.
# all: refused
import os
import signal
import time

from attack import say

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
for _ in range(5):
    if os.fork() == 0:
        signal.alarm(25)
        time.sleep(25)
        os._exit(0)
say("tried")
