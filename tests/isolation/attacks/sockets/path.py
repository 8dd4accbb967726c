# Connects to a socket that has a path.
# process: reached; restricted, sandbox: refused
import os
import socket

socket.socket(socket.AF_UNIX).connect(os.environ["SOCKET"])
