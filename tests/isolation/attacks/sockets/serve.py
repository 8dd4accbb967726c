# Listens at a port, for others to connect to.
# process: reached; restricted, sandbox: refused
import socket

socket.create_server(("127.0.0.1", 0))
