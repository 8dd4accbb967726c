"""The attacks of `tests/isolation/attacks`: what each proves, and what is to come of it.

An attack is a file, in Python or C, in the folder of its subject. Its first line says what it
proves. The comment's other lines say what comes of it at each level of isolation, as
``LEVELS: OUTCOME`` with semicolons or ends of lines between::

    # Removes the results.
    # process: reached; restricted, sandbox: refused

The levels are names of `tkm_env.isolation.limits.ISOLATIONS`, or "all". After "without" may stand
the name of a protection: that line is for where it is not active, "root" for where no root runs the
match. An outcome is "reached", "refused", or "fault" with its kind; "A or B" where the machine
decides. What follows in parentheses says why it is so.

Before the first one may stand "pair": the program is run twice at a time, once with ``ROLE=sends``
and once with ``ROLE=receives``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).with_name("attacks")

#: Folders of attacks, and what those attack.
SUBJECTS: Final = {
    "files": "The judge's files, and other players'",
    "scratch": "The temporary folder",
    "memory": "Memory, and what the kernel keeps for a program",
    "processes": "Its own processes",
    "judge": "The judge's process",
    "sockets": "Sockets",
    "queues": "Queues, semaphores and shared memory",
    "channels": "Channels between two programs",
    "streams": "Its input and output",
    "privileges": "Users, capabilities, namespaces, mounts",
    "kernel": "System calls and the machine",
    "honest": "Honest accidents",
}
_OUTCOME: Final = re.compile(r"reached|refused|fault (?:crash|memory|output|protocol|timeout)")
_STATEMENT: Final = re.compile(
    r"(?P<levels>[a-z, ]+?)(?: without (?P<without>[a-z-]+))?: "
    r"(?P<outcomes>[a-z ]+?)(?: \((?P<why>.+)\))?"
)


class Outcome(NamedTuple):
    """What may come of an attack, and why."""

    allowed: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        return " or ".join(self.allowed)


class _Statement(NamedTuple):
    levels: tuple[str, ...]
    without: str
    outcome: Outcome


class Attack(NamedTuple):
    """An attack, as the beginning of its file describes it."""

    path: Path
    proves: str
    is_pair: bool
    statements: tuple[_Statement, ...]

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"

    @property
    def subject(self) -> str:
        return self.path.parent.name

    @property
    def is_compiled(self) -> bool:
        return self.path.suffix == ".c"

    def expected(self, level: str, active: tuple[str, ...]) -> Outcome:
        """What is to come of it with these protections: the last statement that fits."""
        fitting = [
            statement.outcome
            for statement in self.statements
            if {level, "all"} & {*statement.levels} and statement.without not in active
        ]
        if not fitting:
            raise ValueError(f"{self}: it does not say what comes of it at the level {level}")
        return fitting[-1]


def read(path: Path) -> Attack:
    """The attack in a file.

    Raises:
        ValueError: naming what in its first lines is not understood.
    """
    sign = "# " if path.suffix == ".py" else "// "
    comment = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(sign):
            break
        comment.append(line.removeprefix(sign).strip())
    if len(comment) < 2:
        raise ValueError(
            f"{path}: its first two lines must say what it proves and what comes of it"
        )
    words = [word.strip() for line in comment[1:] for word in re.split(r";(?![^(]*\))", line)]
    is_pair = words[0] == "pair"
    return Attack(
        path, comment[0], is_pair, tuple(_statement(path, word) for word in words[is_pair:])
    )


def _statement(path: Path, text: str) -> _Statement:
    found = _STATEMENT.fullmatch(text)
    outcomes = found["outcomes"].split(" or ") if found else []
    if found is None or not all(map(_OUTCOME.fullmatch, outcomes)):
        raise ValueError(f"{path}: {text!r} is not of the form LEVELS: OUTCOME")
    levels = tuple(level.strip() for level in found["levels"].split(","))
    return _Statement(levels, found["without"] or "", Outcome(tuple(outcomes), found["why"] or ""))


def attacks(subject: str) -> list[Attack]:
    """All attacks on a subject."""
    return [
        read(path) for path in sorted((FOLDER / subject).iterdir()) if path.suffix in (".py", ".c")
    ]
