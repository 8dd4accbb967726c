# Writes more into its temporary folder than that may hold: 40 MB.
# process, restricted: reached (each file is limited, the folder is not); sandbox: refused
import os

for number in range(4):
    with open(os.path.join(os.environ["TMPDIR"], str(number)), "wb") as file:
        file.write(bytes(10 << 20))
