# Swaps a folder and a link to the results while the judge removes both.
# all: refused
import os
import signal

from attack import say

os.chdir(os.environ["TMPDIR"])
os.mkdir("b")
os.symlink(os.path.dirname(os.environ["RESULTS"]), "a")
for number in range(200):
    open(f"b/{number}", "w").close()
if os.fork() == 0:
    signal.alarm(10)
    os.setsid()
    while True:
        try:
            os.rename("a", "c")
            os.rename("b", "a")
            os.rename("c", "b")
        except OSError:
            pass
say("tried")
