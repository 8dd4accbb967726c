# Changes how the folder of the results is mounted, by a newer call.
# process: reached or refused (from Linux 6.15); restricted, sandbox: refused
import os
import struct

from attack import syscall

OPEN_TREE_ATTR, HERE, CLONE, READ_ONLY = 467, -100, 1, 1
attributes = struct.pack("4Q", READ_ONLY, 0, 0, 0)
syscall(
    OPEN_TREE_ATTR,
    HERE,
    os.path.dirname(os.environ["RESULTS"]).encode(),
    CLONE,
    attributes,
    len(attributes),
)
