# Opens a setting of the kernel for writing.
# process: reached or refused (as root); restricted, sandbox: refused
import os

from attack import refused

for place, _, names in os.walk("/proc/sys"):
    for name in names:
        path = os.path.join(place, name)
        if os.stat(path).st_mode & 0o222:
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            except OSError:
                continue
            break
    else:
        continue
    break
else:
    raise refused("none can be written")
