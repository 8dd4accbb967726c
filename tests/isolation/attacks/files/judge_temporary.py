# Puts a file into the judge's temporary folder, where the judge may look for one of its own.
# process: reached; restricted, sandbox: refused
import os

os.symlink(os.environ["RESULTS"], os.path.join(os.environ["TEMPORARY"], "tkm-bot-next"))
