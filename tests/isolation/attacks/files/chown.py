# Gives the results to another group.
# process: reached; process without root: refused; restricted, sandbox: refused
import os

os.chown(os.environ["RESULTS"], -1, 12345)
