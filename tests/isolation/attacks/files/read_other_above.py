# Reads the program of another player by going up from a folder that it may read.
# process: reached; restricted, sandbox: refused
import os

folder = os.open(os.path.dirname(os.environ["LIBRARY"]), os.O_PATH)
os.open("../other/bot.py", os.O_RDONLY, dir_fd=folder)
