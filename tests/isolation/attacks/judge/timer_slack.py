# Has the judge wake up late from every pause: by how much it does already.
# process: reached or refused (as root); restricted, sandbox: refused
import os

path = f"/proc/{os.environ['JUDGE']}/timerslack_ns"
with open(path, "r+") as file:
    before = file.read()
    file.seek(0)
    file.write(before)
