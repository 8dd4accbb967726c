# Lets everybody write the results.
# process: reached; restricted, sandbox: refused
import os

os.chmod(os.environ["RESULTS"], 0o666)
