# Keeps a removed working folder, and files in it, open in a process that outlives it.
# all: refused
import contextlib
import os
import time

from attack import say

folder = os.path.join(os.environ["TMPDIR"], "folder")
os.mkdir(folder)
os.chdir(folder)
file = os.open("file", os.O_CREAT | os.O_RDWR)
os.unlink("file")
os.rmdir(folder)
if os.fork() == 0:
    os.setsid()
    for number in range(2000):
        with contextlib.suppress(OSError):
            os.makedirs(os.path.join(os.environ["TMPDIR"], str(number), "again"))
        os.write(file, b"x")
        time.sleep(0.005)
    os._exit(0)
say("tried")
