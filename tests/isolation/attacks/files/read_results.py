# Reads the results.
# process: reached; restricted, sandbox: refused
import os

open(os.environ["RESULTS"]).read()
