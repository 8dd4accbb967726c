# Changes a file that other players' programs read, too.
# process: reached; restricted, sandbox: refused
import os

with open(os.environ["LIBRARY"], "a") as library:
    library.write("raise SystemExit\n")
