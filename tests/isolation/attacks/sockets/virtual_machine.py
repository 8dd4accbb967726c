# Makes a socket that reaches virtual machines and their host, through all namespaces.
# process: reached or refused (where the kernel has it); restricted, sandbox: refused
import socket

socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
