# Connects a socket that was made in a pair to one that has a path.
# process: reached; restricted, sandbox: refused
import os
import socket

one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.connect(os.environ["DATAGRAMS"])
