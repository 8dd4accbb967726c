# Reads all packets of the machine.
# process: reached or refused (as root); restricted, sandbox: refused
import socket

socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
