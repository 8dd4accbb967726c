# Opens the file that restarts the machine when something is written to it.
# process: reached or refused (as root, where the kernel has it); restricted, sandbox: refused
import os

os.open("/proc/sysrq-trigger", os.O_WRONLY)
