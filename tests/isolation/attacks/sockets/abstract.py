# Connects to a socket that has a name but no path.
# process: reached; restricted, sandbox: refused
import os
import socket

socket.socket(socket.AF_UNIX).connect("\0" + os.environ["MARK"])
