# Fills its output without a line end, has a child fill its input, and stops both.
# all: fault timeout or fault output
import os
import signal

for file in ("/proc/self/fd/0", "/proc/self/fd/1"):
    if os.fork() == 0:
        try:
            end = os.open(file, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            end = 1
        os.set_blocking(end, False)
        try:
            while os.write(end, b"x" * 4096):
                pass
        except OSError:
            pass
        os.kill(os.getpid(), signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)
