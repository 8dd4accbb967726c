# Works in its temporary folder, removes that with all that is in it, and is where nothing is.
# all: refused (it goes on)
import os
import shutil
from pathlib import Path

from attack import say

os.chdir(os.environ["TMPDIR"])
Path("log").write_text("x" * 1000)
shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)
try:
    os.getcwd()
except FileNotFoundError:
    os.chdir("/")
say("tried")
