# Uses temporary files of every kind, maps one, and leaves some.
# all: refused (it goes on)
import mmap
import os
import tempfile

from attack import say

with (
    tempfile.TemporaryDirectory() as folder,
    tempfile.TemporaryFile() as unnamed,
    tempfile.SpooledTemporaryFile(10) as spooled,
):
    for file in (unnamed, spooled, tempfile.NamedTemporaryFile(dir=folder)):
        file.write(b"x" * 5000)
        file.seek(0)
        if len(file.read()) != 5000:
            raise RuntimeError("something is missing")
    with mmap.mmap(unnamed.fileno(), 0) as mapped:
        mapped[:5] = b"hello"
        mapped.flush()
descriptor, path = tempfile.mkstemp()
os.replace(path, f"{path}.new")
say("tried")
