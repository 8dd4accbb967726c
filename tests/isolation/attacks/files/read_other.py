# Reads the program of another player.
# process: reached; restricted, sandbox: refused
import os

open(os.environ["OTHER"]).read()
