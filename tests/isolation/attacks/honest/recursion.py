# Calls itself without end, after it has told Python that this is all right.
# all: fault memory or fault crash
import sys

sys.setrecursionlimit(1 << 30)


def deeper(depth: int) -> int:
    return max(deeper(depth + 1), *range(depth, depth + 2))


deeper(0)
