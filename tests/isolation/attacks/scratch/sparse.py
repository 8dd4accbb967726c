# Makes a file of 100 TB that holds nothing.
# all: refused
import os

with open(os.path.join(os.environ["TMPDIR"], "large"), "wb") as file:
    file.truncate(100 << 40)
