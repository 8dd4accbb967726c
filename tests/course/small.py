"""A small assignment, and submissions for it, honest and hostile."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tkm_env.course.assignment import Assignment, parse_assignment

#: Answers the question about counting.
HONEST = """
def count(node, depth):
    if depth == 0:
        return 1
    return sum(count(child, depth - 1) for _, child in node.children())
"""
#: A program that does so without this package; `before` runs instead of the first answer.
PROGRAM = """#!{python} -IS
import os, sys, time

def ask(line):
    print(line, flush=True)
    return sys.stdin.readline().strip().partition(" ")[2]

def count(node, depth):
    children = [part.partition(":")[0] for part in ask(f"children {{node}}").split("; ") if part]
    return len(children) if depth == 1 else sum(count(child, depth - 1) for child in children)

for line in sys.stdin:
    if line.startswith("tkm"):
        print("tkm 1 name=program", flush=True)
    elif line.startswith("ask count"):
        {before}
        print("answer", count(0, int(line.split("depth=")[1].split()[0])), flush=True)
    elif line.startswith("ask"):
        print("answer none", flush=True)
    elif line.startswith("quit"):
        break
"""
#: Answers only the question about counting.
HALF = f"""
{HONEST}
def minimax(node, depth):
    return None
"""


def assignment(*questions: dict[str, Any], isolation: str = "process", **more: Any) -> Assignment:
    """An assignment with these questions, 2 points each; by default, to count lines."""
    tables = [
        {"id": f"q{number}", "points": 2, "seconds": 20, **table}
        for number, table in enumerate(questions, 1)
    ]
    counting = {"id": "q1", "points": 2, "kind": "count", "depth": 4, "positions": 1, "seconds": 20}
    conditions = {"isolation": isolation, "start_seconds": 40, **more.pop("conditions", {})}
    return parse_assignment(
        {"seed": 3, "questions": tables or [counting], "conditions": conditions, **more}
    )


def python(folder: Path, source: str) -> Path:
    """A submission in Python."""
    folder.mkdir(exist_ok=True)
    (folder / "agent.py").write_text(source, "utf-8")
    return folder


def program(folder: Path, before: str = "pass") -> Path:
    """A submission that is a program; it runs ``before`` instead of its first answer."""
    folder.mkdir(exist_ok=True)
    path = folder / "run"
    path.write_text(PROGRAM.format(python=sys.executable, before=before), "utf-8")
    path.chmod(0o755)
    return folder
