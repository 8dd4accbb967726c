# Lists the folder in which players have theirs.
# process: reached; restricted, sandbox: refused
import os

found = os.listdir(os.path.dirname(os.path.dirname(os.environ["OTHER"])))
if "other" not in found:
    raise PermissionError("it is not the judge's folder")
