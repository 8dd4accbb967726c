# Tells another program something by the name of the machine.
# process: reached or refused (as root); restricted, sandbox: refused
import socket

socket.sethostname(socket.gethostname())
