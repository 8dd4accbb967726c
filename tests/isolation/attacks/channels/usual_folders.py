# Leaves a file for another program where programs usually do.
# pair; process: reached; restricted, sandbox: refused
import os

from attack import keep, refused

paths = [
    os.path.join(folder, os.environ["MARK"] + "-told")
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")
]
if os.environ["ROLE"] == "sends":
    made = []
    for path in paths:
        try:
            open(path, "x").close()
            made.append(path)
        except OSError:
            continue
    keep(lambda: None)
    for path in made:
        os.unlink(path)
elif not any(map(os.path.exists, paths)):
    raise refused("there is none")
