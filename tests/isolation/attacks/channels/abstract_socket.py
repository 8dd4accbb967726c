# Finds another program at a socket that has a name.
# pair; process: reached; restricted, sandbox: refused
import os
import socket

from attack import keep

name = f"\0{os.environ['MARK']}-told"
if os.environ["ROLE"] == "sends":
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(name)
    listener.listen()
    keep(lambda: None)
else:
    socket.socket(socket.AF_UNIX).connect(name)
