# Opens a file whose name is no text.
# all: refused
import os

os.open(b"\xaa%s%n\xff", os.O_RDONLY)
