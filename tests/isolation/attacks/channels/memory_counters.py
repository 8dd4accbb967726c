# Tells another program something by how much memory the whole machine has left.
# pair; all: reached (programs ask how much memory there is; no level stops it)
import os

from attack import keep

if os.environ["ROLE"] == "sends":
    block = bytearray(50 << 20)
    keep(lambda: None)
else:
    open("/proc/meminfo").read()
