# Keeps files under names in other alphabets, with spaces and line ends, in deep folders.
# all: refused (it goes on)
import os
import tempfile
from pathlib import Path

from attack import say

folder = Path(tempfile.mkdtemp(prefix="größer " * 10), "模型" * 30, "x" * 250)
folder.mkdir(parents=True)
for name in ("übung.txt", "🙂" * 60, "zwei\nzeilen", os.fsdecode(b"caf\xe9"), " ", "-n"):
    (folder / name).write_text(name.encode("utf-8", "surrogateescape").hex())
if len(list(folder.iterdir())) != 6:
    raise RuntimeError("files are missing")
say("tried")
