# Puts a file into Python's own library.
# process: reached; process without root: refused; restricted, sandbox: refused
import os

path = os.path.join(os.path.dirname(os.__file__), f"{os.environ['MARK']}.py")
open(path, "x").close()
os.unlink(path)
