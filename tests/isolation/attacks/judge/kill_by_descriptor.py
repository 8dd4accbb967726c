# Kills the judge through a descriptor of its process.
# process: reached; restricted, sandbox: refused
import os
import signal
import time

from attack import syscall

PIDFD_OPEN, PIDFD_SEND_SIGNAL = 434, 424
descriptor = syscall(PIDFD_OPEN, int(os.environ["JUDGE"]), 0)
syscall(PIDFD_SEND_SIGNAL, descriptor, int(signal.SIGKILL), 0, 0)
time.sleep(0.1)
