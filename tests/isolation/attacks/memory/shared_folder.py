# Takes 60 MB in the machine's folder of shared memory.
# process: reached; restricted, sandbox: refused
import os

path = f"/dev/shm/{os.environ['MARK']}-more"
try:
    with open(path, "wb") as file:
        for _ in range(60):
            file.write(bytes(1 << 20))
finally:
    if os.path.exists(path):
        os.unlink(path)
