"""Hostile submissions and their marks.

The tests and a benchmark run these tables, and ``docs/teaching.md`` shows them.
"""

from __future__ import annotations

from typing import Final

#: What a program does instead of its first answer, the kind of its fault, and words in its mark.
PROGRAMS: Final = {
    "hangs": ("time.sleep(600)", "timeout", "no answer in time"),
    "exits": ("sys.exit(3)", "crash", "exit code 3"),
    "floods": ("while True: sys.stdout.write('x' * 65536)", "output", "a line of more than 64 KiB"),
    "answers before it is asked to": (
        "print('answer 1\\nanswer 2\\nscore 100', flush=True)",
        None,
        "0 of 1",
    ),
    "says that it has all points": (
        "print('score 2 of 2', flush=True)",
        "protocol",
        "score 2 of 2",
    ),
    "asks for what it has not been shown": (
        "print('value 99', flush=True)",
        "protocol",
        "no such node",
    ),
    "finishes late": ("time.sleep(1.5)", "timeout", "no answer in time"),
}
#: Python files, likewise; SPEC is the path of what is graded, RESULTS that of results.
FILES: Final = {
    "crashes when it is imported": (
        "raise ValueError('not today')",
        "crash",
        "agent.py, line 1: ValueError: not today",
    ),
    "hangs when it is imported": ("import time\ntime.sleep(600)", "timeout", "s) at start"),
    "imports what is refused": (
        "def count(node, depth):\n    import tkm_env.players.tkm.search.perft",
        "crash",
        "agent.py, line 2: ImportError: not allowed here",
    ),
    "reads the specification": (
        "def count(node, depth):\n    open(SPEC).read()",
        "crash",
        "FileNotFoundError",
    ),
    "forges the results": (
        "def count(node, depth):\n    open(RESULTS, 'w').write('{}')",
        "crash",
        "FileNotFoundError",
    ),
    "patches the grader and prints a score": (
        "import tkm_env.course.game_tree as t, tkm_env.course.questions.marks\n"
        "t.count_lines = lambda *_: 1\nprint('{\"score\": 2}')\n"
        "def count(node, depth):\n    print('answer', 7)\n    return 1",
        "crash",
        "ImportError: not allowed here",
    ),
    "returns no number": (
        "def count(node, depth):\n    return 'all points'",
        "crash",
        "count returned 'all points', which is not a number",
    ),
    "has no such function": ("", "crash", "agent.py has no function 'count'"),
    "returns what equals everything": (
        "class Any(int):\n    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n\n"
        "def count(node, depth):\n    return Any(7)",
        None,
        "0 of 1",
    ),
    "returns what is like no number": (
        "def count(node, depth):\n    return float('nan')",
        "crash",
        "count returned nan, which is not a finite number",
    ),
    "writes answers behind the grader's back": (
        "import os\ndef count(node, depth):\n    os.write(1, b'answer 48\\n')\n    return 7",
        None,
        "0 of 1",
    ),
    "calls itself for ever": (
        "def count(node, depth):\n    return count(node, depth)",
        "crash",
        "agent.py, line 2: RecursionError",
    ),
    "takes all memory": (
        "def count(node, depth):\n    return len(bytearray(1 << 40))",
        "crash",
        "agent.py, line 2: MemoryError",
    ),
    "leaves at the first question": (
        "import os\ndef count(node, depth):\n    os._exit(0)",
        "crash",
        "it ended with the exit code 0",
    ),
}
#: These are only stopped in the sandbox.
NEEDS_SANDBOX: Final = ("reads the specification", "forges the results")
