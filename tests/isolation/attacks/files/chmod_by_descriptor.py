# Changes the mode of the results through a descriptor that neither reads nor writes.
# process: reached; restricted, sandbox: refused
import os

descriptor = os.open(os.environ["RESULTS"], os.O_PATH)
os.chmod(f"/proc/self/fd/{descriptor}", 0o644)
