# Takes back what it wrote to its output, so that the judge finds nothing where there was something.
# process: fault timeout or fault output
# restricted, sandbox: refused or fault timeout or fault output
import contextlib
import os
import time

output = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
for number in range(3):
    if os.fork() == 0:
        while True:
            if number == 0:
                os.write(1, b"x")
            else:
                with contextlib.suppress(BlockingIOError):
                    os.read(output, 1)
time.sleep(20)
