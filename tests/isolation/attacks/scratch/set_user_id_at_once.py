# Makes a file that runs with its owner's rights from the first, without changing a mode.
# all: reached (its owner is the user that it has already; nobody else sees it)
# process: reached
# restricted without user: reached (its owner is who runs the match, who removes it)
import os

from attack import refused

path = os.path.join(os.environ["TMPDIR"], "own")
os.umask(0)
os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o4755))
if not os.stat(path).st_mode & 0o4000:
    raise refused("the mode is another")
