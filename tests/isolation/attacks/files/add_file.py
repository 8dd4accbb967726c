# Puts a file into the folder of the results.
# process: reached; restricted, sandbox: refused
import os

open(os.path.join(os.path.dirname(os.environ["RESULTS"]), "more.jsonl"), "x").close()
