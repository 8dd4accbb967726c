# Reads the kernel's messages.
# process: reached or refused (as root); restricted, sandbox: refused
import os

os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
