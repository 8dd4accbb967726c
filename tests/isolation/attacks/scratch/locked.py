# Leaves folders with files that their owner may neither enter nor list.
# all: refused
import os

from attack import say

folder = os.environ["TMPDIR"]
for _ in range(20):
    folder = os.path.join(folder, "locked")
    os.mkdir(folder)
    open(os.path.join(folder, "file"), "w").close()
for _ in range(20):
    try:
        os.chmod(folder, 0)
    except OSError:
        break
    folder = os.path.dirname(folder)
os.umask(0o777)
os.mkdir(os.path.join(os.environ["TMPDIR"], "born locked"))
say("tried")
