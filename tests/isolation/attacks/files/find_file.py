# Finds out whether a file of another player exists, and how large it is.
# process: reached; restricted: reached (Landlock hides no names and sizes); sandbox: refused
import os

os.stat(os.environ["OTHER"])
