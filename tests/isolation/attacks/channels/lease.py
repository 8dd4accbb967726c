# Is told by the kernel when another program opens a file that both may read.
# process: reached; restricted, sandbox: refused
import fcntl
import os

library = os.open(os.environ["LIBRARY"], os.O_RDONLY)
fcntl.fcntl(library, fcntl.F_SETLEASE, fcntl.F_RDLCK)
