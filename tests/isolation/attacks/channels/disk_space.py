# Tells another program something by how much room is left on a disk where both may look.
# pair; process, restricted: reached (Landlock hides no figures); sandbox: refused
import os
import time

from attack import keep, refused

folder = os.environ["TMPDIR"]


def left() -> int:
    found = os.statvfs(folder)
    return found.f_favail or found.f_bavail


if os.environ["ROLE"] == "sends":
    files = []

    def change() -> None:
        """Make 200 files, and remove them the next time."""
        if files:
            while files:
                os.unlink(files.pop())
        else:
            for number in range(200):
                files.append(os.path.join(folder, str(number)))
                os.close(os.open(files[-1], os.O_CREAT | os.O_WRONLY))
        time.sleep(0.2)

    keep(change)
else:
    found = [left()]
    until = time.monotonic() + 3
    while max(found) - min(found) < 150:
        if time.monotonic() > until:
            raise refused("it stays the same")
        time.sleep(0.05)
        found.append(left())
