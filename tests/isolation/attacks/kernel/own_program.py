# Runs a program that it has made itself.
# all: reached (no right comes with it)
import os
import shutil
import subprocess

path = os.path.join(os.environ["TMPDIR"], "own")
os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o700))
shutil.copyfile("/bin/true", path)
subprocess.run([path], check=True)
