# Has itself scheduled before all others, as programs in real time are.
# process: reached; process without root: refused; restricted, sandbox: refused
import os

os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
