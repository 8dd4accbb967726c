# Puts a module beside one that other players' programs import.
# process: reached; restricted, sandbox: refused
import os

open(os.path.join(os.path.dirname(os.environ["LIBRARY"]), "random.py"), "x").close()
