# Sets its language and its time zone.
# all: refused (it goes on)
import contextlib
import locale
import os
import time

from attack import say

for name in ("", "C.UTF-8", "de_DE.UTF-8"):
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, name)
os.environ["TZ"] = "Asia/Tokyo"
time.tzset()
time.strftime("%c %Z")
say("tried")
