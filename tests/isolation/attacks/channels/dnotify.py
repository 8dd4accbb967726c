# Is signalled when other programs read a folder that it may read.
# process: reached or refused (where the kernel has it); restricted, sandbox: refused
import fcntl
import os

folder = os.open(os.path.dirname(os.environ["LIBRARY"]), os.O_RDONLY)
fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
