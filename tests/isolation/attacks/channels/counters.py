# Tells another program something by how many files the whole machine has open.
# pair; process: reached; restricted, sandbox: refused
import os

from attack import keep

if os.environ["ROLE"] == "sends":
    opened = [os.open("/dev/null", os.O_RDONLY) for _ in range(900)]
    keep(lambda: None)
else:
    open("/proc/sys/fs/file-nr").read()
