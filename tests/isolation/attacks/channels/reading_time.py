# Tells another program something by having read a file that both may read.
# pair; process: reached
# restricted: reached (Landlock does not stop the note of when a file was read); sandbox: refused
import os

from attack import keep, refused

if os.environ["ROLE"] == "sends":
    open(os.environ["LIBRARY"]).read()
    keep(lambda: None)
elif os.stat(os.environ["LIBRARY"]).st_atime <= 10**9:
    raise refused("nobody has read it")
