# Writes a byte order mark before its first line, as some languages do for all UTF-8 output.
# all: refused (it goes on)
import codecs
import sys

sys.stdout.buffer.write(codecs.BOM_UTF8 + b"tried\n")
sys.stdout.flush()
