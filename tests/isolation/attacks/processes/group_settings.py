# Raises the limits of its own control group.
# process: reached or refused (as root, with control groups); restricted, sandbox: refused
from attack import open_one_for_writing

groups = [line.strip().split(":", 2)[1:] for line in open("/proc/self/cgroup")]
files = [
    f"{place}{path}/{file}"
    for names, path in groups
    for place in (names, "")
    for file in ("memory.limit_in_bytes", "memory.max", "pids.max")
]
open_one_for_writing(f"/sys/fs/cgroup/{file}" for file in files)
