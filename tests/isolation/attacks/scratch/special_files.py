# Leaves pipes, sockets and files without content that a judge might open while it removes them.
# all: refused
import os
import stat

from attack import say

for number in range(50):
    path = os.path.join(os.environ["TMPDIR"], str(number))
    for kind in (stat.S_IFIFO, stat.S_IFSOCK):
        os.mknod(f"{path}-{kind}", kind | 0o600)
say("tried")
