# Moves its temporary folder into the judge's, so that it is not removed.
# process: reached; restricted, sandbox: refused
import os

os.rename(os.environ["TMPDIR"], os.path.join(os.environ["TEMPORARY"], "kept"))
