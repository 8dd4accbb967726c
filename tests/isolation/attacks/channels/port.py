# Finds another program at a port.
# pair; process: reached; restricted, sandbox: refused
import os
import socket

from attack import keep

port = 20000 + sum(os.environ["MARK"].encode()) * 7 % 10000
if os.environ["ROLE"] == "sends":
    listener = socket.create_server(("127.0.0.1", port))
    keep(lambda: None)
else:
    socket.create_connection(("127.0.0.1", port), 2)
