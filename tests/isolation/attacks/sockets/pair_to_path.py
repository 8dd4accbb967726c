# Sends to a socket that has a path, from a socket that was made in a pair.
# process: reached; restricted, sandbox: refused
import os
import socket

one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.sendto(b"mine", os.environ["DATAGRAMS"])
