# Raises the limits of its own control group.
# process: reached or refused (as root, with control groups); restricted, sandbox: refused
import os

from attack import refused

for line in open("/proc/self/cgroup"):
    _, names, path = line.strip().split(":", 2)
    for file in (f"{names}{path}/memory.limit_in_bytes", f"{path}/memory.max", f"{names}{path}/pids.max"):
        try:
            os.close(os.open(f"/sys/fs/cgroup/{file}", os.O_WRONLY))
        except OSError:
            continue
        break
    else:
        continue
    break
else:
    raise refused("no setting can be written")
