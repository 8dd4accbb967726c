# Makes a file without a name beside the results, then names it.
# process: reached or refused (not on every file system); restricted, sandbox: refused
import os

from attack import call

folder = os.path.dirname(os.environ["RESULTS"])
descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY)
HERE, FOLLOW = -100, 0x400
call(
    "linkat", HERE, f"/proc/self/fd/{descriptor}".encode(), HERE, f"{folder}/named".encode(), FOLLOW
)
