# Makes a socket that is the kernel's cryptography.
# process: reached or refused (where the kernel has it); restricted, sandbox: refused
import socket

socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
