# Leaves a program that runs with its owner's rights.
# process: reached; restricted, sandbox: refused
import os
import shutil

from attack import refused

path = os.path.join(os.environ["TMPDIR"], "own")
shutil.copyfile("/usr/bin/id", path)
os.chmod(path, 0o4755)
if not os.stat(path).st_mode & 0o4000:
    raise refused("the mode stays as it was")
