# Lists the machine's processes.
# process: reached; restricted, sandbox: refused
import os

from attack import refused

if os.environ["JUDGE"] not in os.listdir("/proc"):
    raise refused("the judge is not among them")
