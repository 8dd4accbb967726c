# Reads in which system call the judge waits, and with which arguments.
# process: reached or refused (as root); restricted, sandbox: refused
import os

with open(f"/proc/{os.environ['JUDGE']}/syscall") as file:
    file.read()
