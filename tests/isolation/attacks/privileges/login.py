# Becomes another user for the machine's log.
# process: reached or refused (where the kernel has it); restricted, sandbox: refused
import os

descriptor = os.open("/proc/self/loginuid", os.O_WRONLY)
os.write(descriptor, b"0")
