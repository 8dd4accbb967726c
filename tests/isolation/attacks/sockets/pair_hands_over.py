# Puts descriptors into a socket without end, where no limit counts them.
# process: reached; restricted, sandbox: refused
import array
import socket

one, other = socket.socketpair()
for _ in range(100):
    one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
