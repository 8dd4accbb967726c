# Closes and reopens its streams in an odd order, its output last, and goes on under other numbers.
# all: refused (it is still its output)
import os

os.dup2(1, 200)
for stream in (2, 0, 1):
    os.close(stream)
if os.open("/dev/null", os.O_RDWR) != 0:
    os._exit(1)
os.dup2(200, 2)
os.dup2(2, 1)
os.write(200, b"tried\n")
os.read(0, 1)
while True:
    os.kill(os.getpid(), 19)
