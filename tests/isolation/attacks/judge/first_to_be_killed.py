# Has the kernel kill the judge first when memory runs out.
# process: reached; restricted, sandbox: refused
import os

with open(f"/proc/{os.environ['JUDGE']}/oom_score_adj", "w") as file:
    file.write("1000")
