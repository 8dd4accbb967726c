# Has the kernel merge its memory with equal memory of others, and tell how much that was.
# process: reached or refused (where the kernel merges memory); restricted, sandbox: refused
from attack import call

PR_SET_MEMORY_MERGE = 67
call("prctl", PR_SET_MEMORY_MERGE, 1, 0, 0, 0)
