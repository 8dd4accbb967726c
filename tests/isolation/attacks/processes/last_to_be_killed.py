# Has the kernel kill all others first when memory runs out.
# process: reached or refused (as root with all rights); restricted, sandbox: refused
import os

descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
os.write(descriptor, b"-1000")
