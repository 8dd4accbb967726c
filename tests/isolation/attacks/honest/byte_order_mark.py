# Writes the mark before its first line that some languages put before everything they write as UTF-8.
# all: refused (it goes on)
import codecs
import sys

sys.stdout.buffer.write(codecs.BOM_UTF8 + b"tried\n")
sys.stdout.flush()
