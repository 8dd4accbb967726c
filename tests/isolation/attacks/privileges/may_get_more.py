# May get more rights from what it starts.
# process: reached; restricted, sandbox: refused
from attack import refused

if "NoNewPrivs:\t1" in open("/proc/self/status").read():
    raise refused("it may not")
