# Puts a file of its own in the place of the results.
# process: reached; restricted, sandbox: refused
import os

own = os.path.join(os.environ["TMPDIR"], "own")
open(own, "w").close()
os.replace(own, os.environ["RESULTS"])
