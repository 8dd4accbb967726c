# Starts a helper 200 times while it holds more than half of the memory that it may have.
# all: refused (it goes on)
import os

from attack import say

held = bytearray(b"x") * (130 << 20)
for _ in range(200):
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
say("tried")
