# Opens its standard error anew, to find a file there that it may cut off or read.
# all: refused
import os

from attack import refused

descriptor = os.open("/proc/self/fd/2", os.O_RDWR)
os.ftruncate(descriptor, 0)
raise refused("it is a pipe")
