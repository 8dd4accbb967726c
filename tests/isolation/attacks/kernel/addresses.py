# Reads where the kernel has what in memory.
# process: reached or refused (as root); restricted, sandbox: refused
from attack import refused

if not any(int(line.split()[0], 16) for line in open("/proc/kallsyms")):
    raise refused("all are zero")
