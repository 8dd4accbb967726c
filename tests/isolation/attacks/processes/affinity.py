# Chooses the cores on which it runs.
# process: reached; restricted, sandbox: refused
import os

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
