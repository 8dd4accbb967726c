# Opens the setting that says which program of the machine's runs when a control group is empty.
# process: reached or refused (as root, with control groups of version 1)
# restricted, sandbox: refused
import os

from attack import open_one_for_writing

open_one_for_writing(
    f"/sys/fs/cgroup/{place}/release_agent" for place in os.listdir("/sys/fs/cgroup")
)
