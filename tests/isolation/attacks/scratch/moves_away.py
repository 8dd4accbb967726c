# Moves its temporary folder into the judge's, for nobody to remove it there.
# process: reached; restricted, sandbox: refused
import os

os.rename(os.environ["TMPDIR"], os.path.join(os.environ["TEMPORARY"], "kept"))
