# Changes its label for other guards of the kernel.
# process: refused or reached; restricted, sandbox: refused
import os

descriptor = os.open("/proc/self/attr/current", os.O_WRONLY)
os.write(descriptor, b"unconfined")
