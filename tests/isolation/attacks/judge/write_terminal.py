# Writes into the judge's terminal.
# process: reached; restricted, sandbox: refused
import os

os.close(os.open(os.environ["TERMINAL"], os.O_WRONLY | os.O_NOCTTY))
