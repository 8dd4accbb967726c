# Opens another player's program by a path that is too long for a filter to check.
# process, restricted, sandbox: refused
import os

os.open("/." * 3000 + os.environ["OTHER"], os.O_RDONLY)
