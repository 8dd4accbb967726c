# Lists the locks of files of the whole machine.
# process: reached; restricted, sandbox: refused
import os

open("/proc/locks").read()
