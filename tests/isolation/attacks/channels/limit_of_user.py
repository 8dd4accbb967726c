# Tells another program something by using up what their user may have.
# pair; process: refused or fault memory; restricted, sandbox: refused
# restricted without processes: refused or fault memory
import os
import signal

from attack import keep

if os.environ["ROLE"] == "sends":
    for _ in range(30):
        try:
            if os.fork() == 0:
                signal.alarm(20)
                signal.pause()
        except OSError:
            break
    keep(lambda: None)
else:
    from attack import refused

    try:
        child = os.fork()
    except OSError:
        pass
    else:
        if child == 0:
            os._exit(0)
        raise refused("it may start processes")
