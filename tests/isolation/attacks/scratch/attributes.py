# Keeps data in the attributes of files, which no limit on files counts.
# process: reached or refused (not on every file system); restricted, sandbox: refused
import os

path = os.path.join(os.environ["TMPDIR"], "own")
open(path, "w").close()
for number in range(10):
    os.setxattr(path, f"user.{number}", bytes(300))
