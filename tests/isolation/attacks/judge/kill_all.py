# Finds another process that it may signal, among all numbers up to the judge's.
# process: reached; restricted, sandbox: refused
import os

from attack import refused

for number in {*range(2, int(os.environ["JUDGE"]) + 1)} - {os.getpid()}:
    try:
        os.kill(number, 0)
        break
    except OSError:
        continue
else:
    raise refused("there is none")
