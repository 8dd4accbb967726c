# Opens the file of the machine's passwords.
# process: reached; process without root: refused; restricted, sandbox: refused
import os

os.open("/etc/shadow", os.O_RDONLY)
