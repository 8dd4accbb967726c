# Changes machine code that other programs run through the links in its own folder.
# process: reached; restricted, sandbox: refused
import os

from attack import refused

folder = os.environ.get("NUMBA_CACHE_DIR") or ""
for place, _, names in os.walk(folder):
    for name in names:
        with open(os.path.join(place, name), "ab") as code:
            code.write(b"\x90")
raise refused("no change was possible")
