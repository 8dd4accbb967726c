"""The benchmark: fixed tasks, starts and opponents, so that results of different agents can be compared. The page ``docs/benchmark.md`` has
the rules for reporting; `tkm benchmark` runs it.
"""
