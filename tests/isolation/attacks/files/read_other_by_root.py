# Reads the program of another player from the root that /proc shows for the judge.
# process: reached; restricted, sandbox: refused
import os

open(f"/proc/{os.environ['JUDGE']}/root{os.environ['OTHER']}").read()
