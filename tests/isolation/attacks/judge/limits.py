# Takes limits from the judge: its files.
# process: reached; restricted, sandbox: refused
import os
import resource

resource.prlimit(int(os.environ["JUDGE"]), resource.RLIMIT_NOFILE, (5, 5))
