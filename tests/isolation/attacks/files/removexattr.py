# Removes an attribute of the folder of the results.
# process: reached; restricted, sandbox: refused
import os

os.removexattr(os.path.dirname(os.environ["RESULTS"]), "user.judge")
