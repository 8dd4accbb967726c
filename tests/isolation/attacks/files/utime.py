# Changes the time at which the results were written.
# process: reached; restricted, sandbox: refused
import os

os.utime(os.environ["RESULTS"], (1, 1))
