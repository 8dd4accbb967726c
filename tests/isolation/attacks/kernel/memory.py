# Opens all of the machine's memory.
# process: reached or refused (as root, where the kernel has it); restricted, sandbox: refused
import os

for path in ("/dev/mem", "/proc/kcore"):
    try:
        os.close(os.open(path, os.O_RDONLY))
        break
    except OSError:
        continue
else:
    raise PermissionError("neither can be opened")
