# Tells another program something by how many sockets the kernel has numbered on the machine.
# pair; all: reached (no level stops it: a number of a socket of its own tells how many there were)
import os
import socket
import struct
import time

from attack import keep, refused

SO_COOKIE = 57


def given(count: int) -> int:
    highest = 0
    for _ in range(count):
        pair = socket.socketpair()
        for one in pair:
            highest = max(
                highest, *struct.unpack("Q", one.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8))
            )
            one.close()
    return highest


if os.environ["ROLE"] == "sends":
    keep(lambda: given(3000))
else:
    own, before = 0, given(1)
    until = time.monotonic() + 6
    while given(256) - before - own < 40_000:
        own += 1024
        if time.monotonic() > until:
            raise refused("few were given")
        time.sleep(0.05)
