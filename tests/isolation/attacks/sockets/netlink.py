# Asks the kernel about the machine's network.
# process: reached; restricted, sandbox: refused
import socket

socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).bind((0, 0))
