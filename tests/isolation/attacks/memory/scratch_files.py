# Takes 300 MB as files in its temporary folder.
# process: reached (its files are on the disk); restricted: refused (each file is limited)
# sandbox: refused
import os

with open(os.path.join(os.environ["TMPDIR"], "large"), "wb") as file:
    for _ in range(150):
        file.write(bytes(1 << 20))
