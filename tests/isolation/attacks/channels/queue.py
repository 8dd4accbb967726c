# Finds another program at a queue that has a number.
# pair; process: reached; restricted, sandbox: refused
import os

from attack import call, keep

number, CREATE, REMOVE = 1000 + sum(os.environ["MARK"].encode()), 0o1600, 0
if os.environ["ROLE"] == "sends":
    queue = call("msgget", number, CREATE)
    keep(lambda: None)
    call("msgctl", queue, REMOVE, 0)
else:
    call("msgget", number, 0)
