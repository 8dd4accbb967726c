# Connects to a port of the machine.
# process: reached; restricted, sandbox: refused
import os
import socket

socket.create_connection(("127.0.0.1", int(os.environ["TCP"])), 2)
