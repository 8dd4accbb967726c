# Adds a game to the results.
# process: reached; restricted, sandbox: refused
import os

with open(os.environ["RESULTS"], "a") as results:
    results.write("{}\n")
