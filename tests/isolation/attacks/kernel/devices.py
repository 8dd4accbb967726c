# Opens a device that is neither empty, full, nor random.
# process: reached; restricted, sandbox: refused
import os
import stat

from attack import refused

harmless = {"null", "zero", "full", "random", "urandom", "tty", "ptmx"}
for name in {*os.listdir("/dev")} - harmless:
    path = f"/dev/{name}"
    try:
        mode = os.stat(path).st_mode
        if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and (
            "kmsg" in path or "fuse" in path or "kvm" in path or "loop" in path
        ):
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            break
    except OSError:
        continue
else:
    raise refused("there is none")
