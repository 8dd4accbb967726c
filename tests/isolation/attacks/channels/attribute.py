# Tells another program something by an attribute of a file that both may read.
# pair; process: reached; restricted, sandbox: refused
import os

from attack import keep

if os.environ["ROLE"] == "sends":
    os.setxattr(os.environ["LIBRARY"], "user.told", b"1")
    keep(lambda: None)
else:
    os.getxattr(os.environ["LIBRARY"], "user.told")
