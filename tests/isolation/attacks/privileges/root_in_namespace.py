# Says who is root in its namespace.
# process: refused or reached; restricted, sandbox: refused
import os

descriptor = os.open("/proc/self/uid_map", os.O_WRONLY)
os.write(descriptor, b"0 0 1")
