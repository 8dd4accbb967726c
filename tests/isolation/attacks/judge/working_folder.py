# Lists the folder in which the judge works.
# process: reached; restricted, sandbox: refused
import os

os.listdir(f"/proc/{os.environ['JUDGE']}/cwd")
