# Opens the terminal from which the match was started.
# all: refused
import os

os.open("/dev/tty", os.O_RDWR)
