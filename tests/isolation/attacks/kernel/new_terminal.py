# Makes a terminal.
# process: reached; restricted, sandbox: refused
import os

os.openpty()
