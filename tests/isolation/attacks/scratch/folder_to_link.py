# Puts a link to the results in the place of its temporary folder.
# process: reached or refused (its folder's parent is the judge's); restricted, sandbox: refused
import os

from attack import say

folder = os.environ["TMPDIR"]
os.rename(folder, folder + "-old")
os.symlink(os.path.dirname(os.environ["RESULTS"]), folder)
say("tried")
