# Writes the results through a link in its temporary folder.
# process: reached; restricted, sandbox: refused
import os

own = os.path.join(os.environ["TMPDIR"], "own")
os.symlink(os.environ["RESULTS"], own)
with open(own, "a") as results:
    results.write("{}\n")
