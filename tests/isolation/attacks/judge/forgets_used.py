# Has the kernel forget which memory the judge has used lately, as if it could be moved out.
# process: reached; restricted, sandbox: refused
import os

with open(f"/proc/{os.environ['JUDGE']}/clear_refs", "w") as file:
    file.write("1")
