# Removes the results.
# process: reached; restricted, sandbox: refused
import os

os.unlink(os.environ["RESULTS"])
