# Finds out that there is a judge.
# process: reached; restricted: reached (Landlock hides no processes); sandbox: refused
import os

os.stat(f"/proc/{os.environ['JUDGE']}")
