# Signals another program.
# pair; process: reached; restricted, sandbox: refused
import os

from attack import keep, refused

if os.environ["ROLE"] == "sends":
    keep(lambda: None)
else:
    mark = f"MARK={os.environ['MARK']}".encode()
    for number in {*filter(str.isdigit, os.listdir("/proc"))} - {str(os.getpid())}:
        try:
            if mark in open(f"/proc/{number}/environ", "rb").read():
                os.kill(int(number), 0)
                break
        except OSError:
            continue
    else:
        raise refused("it does not find it")
