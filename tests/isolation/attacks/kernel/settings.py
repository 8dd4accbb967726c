# Opens a setting of the kernel for writing.
# process: reached or refused (as root); restricted, sandbox: refused
import os

from attack import open_one_for_writing

paths = [os.path.join(place, name) for place, _, names in os.walk("/proc/sys") for name in names]
open_one_for_writing(path for path in paths if os.stat(path).st_mode & 0o222)
