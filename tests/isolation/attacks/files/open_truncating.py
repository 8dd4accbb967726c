# Cuts off the results by opening them for reading alone.
# process: reached; restricted, sandbox: refused
import os

os.open(os.environ["RESULTS"], os.O_RDONLY | os.O_TRUNC)
