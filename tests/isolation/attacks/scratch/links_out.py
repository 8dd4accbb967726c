# Leaves links to the judge's folders, for the judge to remove what is in those.
# all: refused
import os

from attack import say

folder = os.environ["TMPDIR"]
for name in ("RESULTS", "OTHER", "LIBRARY", "CACHE"):
    os.symlink(os.path.dirname(os.environ[name]), os.path.join(folder, name))
os.symlink("..", os.path.join(folder, "above"))
os.symlink("loop", os.path.join(folder, "loop"))
say("tried")
