# Lists the machine's queues and shared memory.
# process: reached; restricted, sandbox: refused
import os

from attack import refused

if not any(os.environ["MEMORY"] in line.split() for line in open("/proc/sysvipc/shm")):
    raise refused("the judge's are not among them")
