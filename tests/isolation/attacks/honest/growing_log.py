# Keeps a log in its temporary folder, of which it removes the older parts: 20 MB in all.
# all: refused (it goes on)
import logging
import logging.handlers
import os

from attack import say

path = os.path.join(os.environ["TMPDIR"], "log")
log = logging.getLogger("bot")
log.addHandler(logging.handlers.RotatingFileHandler(path, maxBytes=2_000_000, backupCount=2))
for number in range(2_000):
    log.error("%d %s", number, "x" * 10_000)
say("tried")
