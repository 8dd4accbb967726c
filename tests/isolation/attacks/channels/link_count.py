# Tells another program something by how many names a file has that both may read.
# pair; process: reached; restricted, sandbox: refused
import os
import time

from attack import keep, refused

library = os.environ["LIBRARY"]
if os.environ["ROLE"] == "sends":
    try:
        os.link(library, os.path.join(os.environ["TMPDIR"], "link"))
    except OSError as error:
        if os.statvfs(library).f_fsid == os.statvfs(os.environ["TMPDIR"]).f_fsid:
            raise refused(f"no link: {error}") from error
    keep(lambda: None)
else:
    until = time.monotonic() + 2
    while os.stat(library).st_nlink == 1:
        if time.monotonic() > until:
            raise refused("it has one name")
        time.sleep(0.05)
