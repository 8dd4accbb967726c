# Opens a setting of the hardware for writing.
# process: reached or refused (as root); restricted, sandbox: refused
import os

from attack import refused

for place, folders, names in os.walk("/sys"):
    folders[:] = folders[:12] if place.count("/") < 6 else []
    for name in names[:30]:
        path = os.path.join(place, name)
        try:
            if os.stat(path).st_mode & 0o222:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                break
        except OSError:
            continue
    else:
        continue
    break
else:
    raise refused("none can be written")
