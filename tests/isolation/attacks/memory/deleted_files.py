# Takes 40 MB as files in its temporary folder that it has removed, and still has open.
# process, restricted: reached (its folder is on the disk); sandbox: refused
import os
import tempfile

files = [tempfile.TemporaryFile(buffering=0) for _ in range(4)]
for file in files:
    for _ in range(10):
        if os.write(file.fileno(), bytes(1 << 20)) < 1 << 20:
            raise OSError("there is no room")
