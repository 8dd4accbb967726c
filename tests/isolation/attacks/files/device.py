# Makes a device that is the machine's disk, and opens it.
# process: reached or refused (as root, where the machine lets it); restricted, sandbox: refused
import os
import stat

path = os.path.join(os.environ["TMPDIR"], "disk")
os.mknod(path, stat.S_IFBLK | 0o600, os.stat("/").st_dev)
os.open(path, os.O_RDONLY)
