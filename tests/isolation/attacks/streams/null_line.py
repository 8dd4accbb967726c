# Writes a line with zeros and terminal codes in it.
# all: refused
import os

os.write(1, b"tried \0\0\x1b[2J\x1b]0;title\x07\r\n")
