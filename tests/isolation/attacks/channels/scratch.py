# Reads what another program has in its temporary folder.
# pair; process: reached; restricted, sandbox: refused
import os

from attack import keep, refused

folder = os.environ["TMPDIR"]
if os.environ["ROLE"] == "sends":
    open(os.path.join(folder, "told"), "w").close()
    keep(lambda: None)
else:
    above = os.path.dirname(folder)
    for name in {*os.listdir(above)} - {os.path.basename(folder)}:
        if os.path.exists(os.path.join(above, name, "told")):
            break
    else:
        raise refused("there is none")
