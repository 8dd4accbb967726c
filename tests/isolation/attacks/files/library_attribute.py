# Leaves an attribute at a file that all may read.
# process: reached; restricted, sandbox: refused
import os

os.setxattr(os.environ["LIBRARY"], "user.mine", b"1")
