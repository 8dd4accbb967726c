# Reads the judge's command line.
# process: reached; restricted, sandbox: refused
import os

open(f"/proc/{os.environ['JUDGE']}/cmdline", "rb").read()
