# Reads the limits of the judge.
# process: reached; restricted, sandbox: refused
import os
import resource

resource.prlimit(int(os.environ["JUDGE"]), resource.RLIMIT_NOFILE)
