# Reserves more in its temporary folder than that may hold: 150 MB, which it does not write.
# process: reached; restricted, sandbox: refused
import os

with open(os.path.join(os.environ["TMPDIR"], "large"), "wb") as file:
    os.posix_fallocate(file.fileno(), 0, 150 << 20)
