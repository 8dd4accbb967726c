# Sends a packet to a port of the machine.
# process: reached; restricted, sandbox: refused
import os
import socket

socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
    b"mine", ("127.0.0.1", int(os.environ["UDP"]))
)
