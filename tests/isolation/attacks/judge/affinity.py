# Has the judge run on a single core.
# process: reached; restricted, sandbox: refused
import os

os.sched_setaffinity(int(os.environ["JUDGE"]), {0})
