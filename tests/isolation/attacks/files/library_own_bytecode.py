# Puts bytecode of its own where Python would look for that of a module that others import.
# process: reached; restricted, sandbox: refused
import os

folder = os.path.join(os.path.dirname(os.environ["LIBRARY"]), "__pycache__")
os.mkdir(folder)
open(os.path.join(folder, "module.cpython-311.pyc"), "xb").close()
