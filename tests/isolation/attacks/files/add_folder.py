# Makes a folder beside the results.
# process: reached; restricted, sandbox: refused
import os

os.mkdir(os.environ["RESULTS"] + "-more")
