"""Matches, tournaments and courses: isolation, faults, hostile programs, keys of files."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import glossary, table
from tkm_env.arena.tournament.tournament_file import KEYS as TOURNAMENT_KEYS
from tkm_env.core.record_schema import FAULTS
from tkm_env.course.assignment import KEYS as ASSIGNMENT_KEYS
from tkm_env.course.assignment import KINDS
from tkm_env.course.grading.adjustments import COLUMNS as ADJUSTMENT_COLUMNS
from tkm_env.course.late_policy import KEYS as LATE_KEYS
from tkm_env.course.questions.question import KEYS as QUESTION_KEYS
from tkm_env.isolation.bot_protocol import REASONS
from tkm_env.isolation.limits import ISOLATIONS, PROTECTIONS

_DOCS = Path(__file__).parents[1]
_TESTS = _DOCS.parent / "tests"
_LEVELS = ("process", "restricted", "sandbox")


def hostile_bots() -> dict[str, Any]:
    """The table of hostile bots, which the tests run."""
    return runpy.run_path(str(_TESTS / "arena/hostile.py"))


def attacks() -> str:
    """The result of each hostile bot at the levels of isolation."""
    found = hostile_bots()
    fails = "the attack fails, the bot plays on"
    words = {
        found["PLAYS_ON"]: fails,
        found["NOT_STOPPED"]: "**not stopped**",
        found["COUNTED"]: f"{fails}; or `memory`",
    }
    rows = [
        (
            attack.name,
            *(words.get(outcome, f"`{outcome}`") for outcome in (attack.process, attack.confined)),
        )
        for attack in found["ATTACKS"]
    ]
    return table(("a bot that …", "`process`", "`restricted`, `sandbox`"), rows)


def all_attacks() -> str:
    """What comes of each attack at each level, by subject."""
    found = runpy.run_path(str(_TESTS / "isolation/attack_list.py"))
    parts = []
    for subject, title in found["SUBJECTS"].items():
        rows = [
            (_as_text(attack.proves), *(_outcome(attack, level) for level in _LEVELS))
            for attack in found["attacks"](subject)
        ]
        head = ("the attack", *(f"`{level}`" for level in _LEVELS))
        parts.append(
            f"### {title}\n\n:::{{dropdown}} {len(rows)} attacks\n{table(head, rows)}\n:::"
        )
    return "\n\n".join(parts)


def _as_text(words: str) -> str:
    return words.replace("|", r"\|").replace("<", "&lt;").replace("*", r"\*")


def _outcome(attack: Any, level: str) -> str:
    """What comes of an attack at a level: with all protections, then without some."""
    parts: list[str] = []
    for levels, without, outcome in attack.statements:
        if {level, "all"} & {*levels}:
            if not without:
                parts.clear()  # it says more than what came before
            condition = f"; without {without}: " if without else ""
            words = " or ".join(
                f"**{word}**" if word == "reached" else word.removeprefix("fault ")
                for word in outcome.allowed
            )
            parts.append(condition + words + (f" ({_as_text(outcome.why)})" if outcome.why else ""))
    return "".join(parts)


def measured_attacks() -> str:
    """The machine on which the attacks were last run, and the number of each outcome."""
    figures = json.loads((_DOCS / "attacks.json").read_text("utf-8"))
    rows = [
        (
            *(
                who,
                f"`{level}`",
                *(
                    str(found["outcomes"].get(outcome, 0))
                    for outcome in ("reached", "refused", "fault")
                ),
            ),
            ", ".join(found["protections"]),
        )
        for who, levels in figures["runs"].items()
        for level, found in levels.items()
    ]
    machine = ", ".join(
        f"{name} {value}" if name != "kernel" else value
        for name, value in figures["machine"].items()
    )
    head = ("started by", "level", "reached", "refused", "ended by a fault", "active protections")
    return f"Measured on {machine}.\n\n{table(head, rows)}"


def hostile_submissions() -> str:
    """The result of each hostile submission."""
    found = runpy.run_path(str(_TESTS / "course/hostile.py"))
    rows = []
    for name, (_, fault, words) in (found["PROGRAMS"] | found["FILES"]).items():
        where = "sandbox" if name in found["NEEDS_SANDBOX"] else "process, sandbox"
        rows.append(
            (name, where, f"`{fault}`" if fault else "no fault: the answer is wrong", f"`{words}`")
        )
    return table(
        (
            "a submission that …",
            "stopped by",
            "fault",
            "what the student reads, among other things",
        ),
        rows,
    )


def kinds() -> str:
    """The kinds of questions."""
    rows = []
    for name, kind in KINDS.items():
        keys = "; ".join(f"`{key}`: {meaning}" for key, meaning in kind.keys.items())
        rows.append((f"`{name}`", kind.meaning, keys))
    return table(("kind", "what is asked", "its own keys"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "isolations": lambda: glossary(ISOLATIONS, ("isolation", "where the player runs")),
    "protections": lambda: table(
        ("protection", "a bot with it", "a bot without it"),
        [(f"`{name}`", *row) for name, row in PROTECTIONS.items()],
    ),
    "hostile bots": attacks,
    "attacks": all_attacks,
    "measured attacks": measured_attacks,
    "faults": lambda: glossary(FAULTS, ("kind", "what the player did")),
    "reasons": lambda: glossary(REASONS, ("reason", "meaning")),
    "tournament keys": lambda: glossary(TOURNAMENT_KEYS[""]),
    "player keys": lambda: glossary(TOURNAMENT_KEYS["players"]),
    "settings keys": lambda: glossary(TOURNAMENT_KEYS["settings"]),
    "condition keys": lambda: glossary(TOURNAMENT_KEYS["conditions"]),
    "assignment keys": lambda: glossary(ASSIGNMENT_KEYS),
    "late keys": lambda: glossary(LATE_KEYS),
    "adjustment columns": lambda: glossary(ADJUSTMENT_COLUMNS, ("column", "meaning")),
    "question keys": lambda: glossary(QUESTION_KEYS),
    "question kinds": kinds,
    "hostile submissions": hostile_submissions,
}
