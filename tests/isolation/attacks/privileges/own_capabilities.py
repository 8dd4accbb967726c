# Has rights that only administrators have.
# process: reached; process without root: refused; restricted, sandbox: refused
from attack import refused

for line in open("/proc/self/status"):
    if line.startswith(("CapEff", "CapPrm", "CapInh", "CapAmb")) and int(line.split()[1], 16):
        break
else:
    raise refused("it has none")
