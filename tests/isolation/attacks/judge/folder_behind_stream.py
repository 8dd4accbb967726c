# Finds a file of the judge's behind one of its three streams.
# all: refused
import os
import stat

from attack import refused

if all(stat.S_ISFIFO(os.fstat(number).st_mode) for number in range(3)):
    raise refused("all are pipes")
