# Locks the judge's folder of results.
# process: reached; restricted, sandbox: refused
import os

os.chmod(os.path.dirname(os.environ["RESULTS"]), 0)
