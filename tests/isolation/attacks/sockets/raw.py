# Sends packets of any kind.
# process: reached or refused (as root); restricted, sandbox: refused
import socket

socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
