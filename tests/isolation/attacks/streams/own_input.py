# Writes into its own input, to read words there that are not the judge's.
# all: reached or refused (as the user who made the pipe; it only talks to itself)
import os

os.close(os.open("/proc/self/fd/0", os.O_WRONLY))
