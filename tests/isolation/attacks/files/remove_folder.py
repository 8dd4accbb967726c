# Moves the folder of the results away.
# process: reached; restricted, sandbox: refused
import os

folder = os.path.dirname(os.environ["RESULTS"])
os.rename(folder, folder + "-gone")
