# Makes a socket of the newer internet.
# process: reached or refused (where the kernel has it); restricted, sandbox: refused
import socket

socket.socket(socket.AF_INET6)
