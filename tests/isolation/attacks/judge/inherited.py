# Uses a descriptor that the judge left open for it.
# all: refused
import os

from attack import refused

for number in map(int, os.listdir("/proc/self/fd")):
    try:
        path = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        continue  # the listing's own
    if number > 2:
        break
else:
    raise refused("there are only the three streams")
