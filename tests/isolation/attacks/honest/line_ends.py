# Ends its lines as programs on Windows do.
# all: refused (it goes on)
import sys

sys.stdout.buffer.write(b"tried\r\n")
sys.stdout.flush()
