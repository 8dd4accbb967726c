"""The benchmark: fixed tasks, starts and opponents, by which results of agents can be compared.

The page ``docs/benchmark.md`` has the rules for reporting; `tkm benchmark` runs it.
"""
