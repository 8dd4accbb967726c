# Opens a disk of the machine.
# process: reached or refused (where it has one); restricted, sandbox: refused
import os

from attack import refused

for line in open("/proc/partitions"):
    name = line.split()[-1:]
    if name and os.path.exists(f"/dev/{name[0]}"):
        os.open(f"/dev/{name[0]}", os.O_RDONLY)
        break
else:
    raise refused("there is none")
