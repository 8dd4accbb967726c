# Leaves files whose names are no text, hold lines, look like options, or are as long as can be.
# all: refused
import os

from attack import say

folder = os.environ["TMPDIR"].encode()
for name in (
    b"\xff\xfe",
    b"a\nb",
    b"-rf",
    b"--",
    b"$(touch x)",
    b" ",
    b"...",
    b"x" * 255,
    "ẅ".encode() * 80,
    b"\x1b[2J",
):
    open(os.path.join(folder, name), "w").close()
say("tried")
