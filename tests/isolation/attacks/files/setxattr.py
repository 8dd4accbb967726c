# Adds an attribute to the folder of the results.
# process: reached; restricted, sandbox: refused
import os

os.setxattr(os.path.dirname(os.environ["RESULTS"]), "user.mine", b"1")
