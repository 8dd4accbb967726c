"""The class ladder: a tournament of all submissions under pseudonyms, and what places on it are worth."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tkm_env.agents.specs import make_agent
from tkm_env.arena.record_results import Results
from tkm_env.course.assignment import Assignment
from tkm_env.course.grading import pseudonyms
from tkm_env.course.match_question import MatchQuestion
from tkm_env.course.submission import copy_submission
from tkm_env.errors import FileError, TKMError
from tkm_env.files import failing_as, write_file
from tkm_env.game.settings import changed_settings
from tkm_env.seeds import derived
from tkm_env.untrusted_text import toml_of

#: The tournament's file, its records, and the folder of its players, in the folder of results.
LADDER: Final = "ladder.toml"
_RECORDS: Final = "ladder.jsonl"
_PLAYERS: Final = "ladder"


def write_ladder(out: Path, assignment: Assignment, submissions: Mapping[str, Path]) -> None:
    """Write the tournament of these submissions, by name, and of the package's players. Raises a `FileError` if something cannot be
    written. Copies play, of regular files only, under the conditions of grading: in the sandbox, without the imports that it refuses.
    """
    limits = assignment.conditions.limits
    tables: list[tuple[str, dict[str, Any]]] = [
        ("", {"pairs": 4, "seed": derived(assignment.seed, "ladder"), "submissions": _PLAYERS}),
        (
            "[conditions]",
            {
                "isolation": "sandbox" if limits.container else limits.isolation,
                "turn_seconds": assignment.conditions.turn_seconds or 10,
                "memory_mib": limits.memory_mib,
                "processes": limits.processes,
                "refused_imports": [*limits.refused_imports],
            },
        ),
        ("[[settings]]", {"game": assignment.spec.name, **changed_settings(assignment.config)}),
        *(("[[players]]", {"player": anchor}) for anchor in assignment.anchors),
    ]
    players = out / _PLAYERS
    with failing_as(players, "written"):
        shutil.rmtree(players, ignore_errors=True)
        players.mkdir(parents=True)
    for name, called in pseudonyms(submissions, assignment.seed).items():
        path = submissions[name]
        with suppress(FileError), copy_submission(path, name) as copied:  # one that cannot be read, of which its grade says so
            shutil.copytree(copied.folder, players / called)
        if (line := _trained_line(assignment, players / called)) is not None:
            tables.append(("[[players]]", {"name": called, "player": line}))
    lines = [
        "# The class ladder: no grade depends on it but extra credit, if the assignment has any. To play: tkm tournament ladder.toml;",
        "# to see it: tkm report ladder.jsonl.",
    ]
    for head, table in tables:
        lines += ["", head] if head else []
        lines += [f"{key} = {toml_of(value)}" for key, value in table.items()]
    write_file(out / LADDER, ("\n".join(lines) + "\n").encode())


def _trained_line(assignment: Assignment, folder: Path) -> str | None:
    """The player that a trained file in a folder is, which takes the place of the folder's others; None if there is none to play."""
    matches = [question for question in assignment.questions if isinstance(question, MatchQuestion)]
    if not matches or matches[-1].player == "Bot":
        return None
    prefix, name = matches[-1].trained
    kept = folder.with_name(f"_{folder.name}")  # names with an underscore are no players of a folder
    if folder.is_dir():
        os.replace(folder, kept)
    try:
        make_agent(f"{prefix}{kept / name}", "player", assignment.spec.name, config=assignment.config)
    except TKMError:  # a single bad file would make the whole tournament invalid
        return None
    return f"{prefix}{(kept / name).absolute()}"


def extra_credit(out: Path, assignment: Assignment) -> dict[str, float]:
    """The extra points of each pseudonym on the ladder that has been played, if the assignment gives any. Raises a `FileError` if the
    records cannot be read.

    Whoever is ahead of an anchor beyond the 95% interval of the difference of their ratings gets what that anchor is worth.
    """
    if not assignment.credit or not (out / _RECORDS).exists():
        return {}
    results = Results()
    for _ in results.read(out / _RECORDS):
        pass
    if not results.settings:
        return {}
    _, ratings = results.ratings(None)[0]
    rated = {rating.player for rating in ratings.players}
    credit = {}
    for player in rated - set(assignment.anchors):
        gained = [0.0]
        for anchor, points in assignment.credit.items():
            with suppress(TKMError):  # they never met, not even by way of others
                gained += [points] if anchor in rated and ratings.difference(player, anchor).low > 0 else []
        credit[player] = max(gained)
    return credit
