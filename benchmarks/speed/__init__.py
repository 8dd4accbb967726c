"""Measure the speed of every interface, next to peers and to upper bounds.

    python -m benchmarks.speed

All rows take turns, round after round, so that a disturbance of the machine affects them alike, and
the figures of a round can be divided by each other. No benchmarking library does this:
pytest-benchmark and pyperf finish one benchmark before they begin the next, so that a ratio
compares different minutes; asv interleaves rounds, but compares versions of one project, not a
project with others; `gymnasium.utils.performance` draws actions without a mask.
"""
