# Gives itself priority over all others.
# process: reached; process without root: refused; restricted, sandbox: refused
import os

os.setpriority(os.PRIO_PROCESS, 0, -20)
