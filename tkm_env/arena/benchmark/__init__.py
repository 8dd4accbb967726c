"""The benchmark: fixed tasks, starts and opponents that make results comparable.

The page ``docs/benchmark.md`` has the rules for reporting; `tkm benchmark` runs it.
"""
