# Watches what other programs open in a folder that it may read.
# process: reached; restricted, sandbox: refused
import os

from attack import call

call(
    "inotify_add_watch", call("inotify_init"), os.path.dirname(os.environ["LIBRARY"]).encode(), 0x20
)
