# Leaves a file in any folder of the machine but its own.
# process: reached; restricted, sandbox: refused
import os

from attack import refused

own = os.path.realpath(os.environ["TMPDIR"])
mounted = [line.split()[4] for line in open("/proc/self/mountinfo")]
usual = [
    "/",
    "/dev",
    "/dev/shm",
    "/etc",
    "/home",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/var/tmp",
    ".",
]
for folder in {*mounted, *map(os.path.dirname, mounted), *usual}:
    path = os.path.join(folder, os.environ["MARK"])
    if os.path.realpath(folder) != own:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except OSError:
            continue
        os.unlink(path)
        break
else:
    raise refused("no folder takes it")
