# Makes room for others, by a lower priority, and does not expect that this could fail.
# process: reached; restricted, sandbox: refused (it is told)
import os

os.nice(1)
