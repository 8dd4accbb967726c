# Finds the machine's disk and folders in the list of what is mounted.
# process: reached; restricted: reached (Landlock hides no mounts)
# sandbox: reached (it sees where the little that it may read comes from)
open("/proc/self/mountinfo").read()
