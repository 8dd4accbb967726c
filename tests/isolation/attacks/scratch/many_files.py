# Leaves 20,000 files.
# all: refused
import os

from attack import say

os.chdir(os.environ["TMPDIR"])
try:
    for number in range(20000):
        os.close(os.open(str(number), os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
say("tried")
