# Gives a socket that was made in a pair a name, for others to write to.
# process: reached; restricted, sandbox: refused
import os
import socket

one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.bind(f"\0{os.environ['MARK']}-own")
