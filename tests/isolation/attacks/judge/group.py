# Joins the judge's group of processes, to get its signals and have it get its own.
# all: refused
import os

os.setpgid(0, os.getpgid(int(os.environ["JUDGE"])))
