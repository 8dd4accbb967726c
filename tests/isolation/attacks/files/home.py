# Lists the home of whoever runs the match.
# process: reached or refused (where there is one); restricted, sandbox: refused
import os

os.listdir("/root" if os.getuid() == 0 else "/home")
