# Writes the results through another name in its temporary folder.
# process: reached; restricted, sandbox: refused
import os

own = os.path.join(os.environ["TMPDIR"], "own")
os.link(os.environ["RESULTS"], own)
with open(own, "a") as results:
    results.write("{}\n")
