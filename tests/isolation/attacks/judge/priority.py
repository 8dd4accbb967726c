# Slows the judge down.
# process: reached; restricted, sandbox: refused
import os

os.setpriority(os.PRIO_PROCESS, int(os.environ["JUDGE"]), 19)
