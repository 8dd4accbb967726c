# Has all of the judge's memory dumped if it crashes: opens the setting without changing it.
# process: reached; restricted, sandbox: refused
import os

open(f"/proc/{os.environ['JUDGE']}/coredump_filter", "r+").close()
