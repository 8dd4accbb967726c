# Writes the results without a call for writing.
# process: reached; restricted, sandbox: refused
import os

results = os.open(os.environ["RESULTS"], os.O_WRONLY)
os.sendfile(results, os.open(os.environ["LIBRARY"], os.O_RDONLY), 0, 4)
