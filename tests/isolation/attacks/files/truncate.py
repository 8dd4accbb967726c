# Cuts off the results by their path.
# process: reached; restricted, sandbox: refused
import os

os.truncate(os.environ["RESULTS"], 0)
