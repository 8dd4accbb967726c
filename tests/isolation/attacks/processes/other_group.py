# Leaves the control group that limits its memory and processes.
# process: reached or refused (as root, with control groups); restricted, sandbox: refused
import os

from attack import refused

for place, folders, _ in os.walk("/sys/fs/cgroup"):
    folders[:] = folders[:20]
    try:
        descriptor = os.open(os.path.join(place, "cgroup.procs"), os.O_WRONLY)
        os.write(descriptor, b"0")
        break
    except OSError:
        continue
else:
    raise refused("no group takes it")
