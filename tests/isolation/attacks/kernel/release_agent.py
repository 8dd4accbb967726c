# Opens the setting that says which program of the machine's runs when a control group is empty.
# process: reached or refused (as root, with control groups of version 1); restricted, sandbox: refused
import os

from attack import refused

for place in os.listdir("/sys/fs/cgroup"):
    try:
        os.close(os.open(f"/sys/fs/cgroup/{place}/release_agent", os.O_WRONLY))
    except OSError:
        continue
    break
else:
    raise refused("there is none")
