# Handles faults of memory itself, by a device.
# process: reached or refused (as root, where the kernel has it); restricted, sandbox: refused
import os

os.open("/dev/userfaultfd", os.O_RDWR)
