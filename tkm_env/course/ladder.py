"""The class ladder: a league of all submissions under pseudonyms, and its extra credit.

Needs the extra ``[league]``.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tkm_env.arena.league.database import PLAYING, WAITING
from tkm_env.arena.league.league import FILE, League, keep_bot, player_in
from tkm_env.arena.record_results import Results
from tkm_env.arena.versions import base_of
from tkm_env.core.settings import changed_settings
from tkm_env.course.assignment import Assignment
from tkm_env.course.match_question import MatchQuestion
from tkm_env.course.pseudonyms import pseudonyms
from tkm_env.course.submission import copy_submission, digest_of
from tkm_env.foundations.errors import TKMError
from tkm_env.foundations.files import write_file
from tkm_env.foundations.seeds import derived
from tkm_env.foundations.untrusted_text import toml_of
from tkm_env.players.command import CONTESTANT
from tkm_env.players.factory import make_agent

#: The number of games that each player plays.
_GAMES = 60


def enter_ladder(folder: Path, assignment: Assignment, submissions: Mapping[str, Path]) -> None:
    """Enter submissions in the class ladder, beside the package's players.

    All other submissions leave it. Copies of the submissions' regular files play, under the
    conditions of grading: in the sandbox, without the imports that it refuses.

    Args:
        folder: the folder of the league.
        assignment: the assignment.
        submissions: the submissions, by name.

    Raises:
        FileError: if something cannot be written.
    """
    matches = [question for question in assignment.questions if isinstance(question, MatchQuestion)]
    prefix, trained = matches[-1].trained if matches else ("", "")
    bots: dict[str, str] = {}
    players = [{"player": anchor} for anchor in assignment.anchors]
    for name, called in pseudonyms(submissions, assignment.seed).items():
        with (
            suppress(TKMError),
            copy_submission(submissions[name], name) as copied,
        ):  # if a submission is not a player, its grade says so
            kept = keep_bot(folder, copied.folder, f"{called} {digest_of(copied.folder)[:8]}")
            if trained:
                line = f"{prefix}{(kept / trained).absolute()}"
                make_agent(line, "player", assignment.spec.name, config=assignment.config)
                players.append({"name": called, "player": line})
            else:
                player_in(kept)
                bots[called] = kept.parent.name
    write_file(folder / FILE, _tables(assignment, players).encode())
    store = League(folder).store
    for bot in store.bots(WAITING, PLAYING):
        if bot.name not in bots:
            store.withdraw(store.join(bot.name))
    for called, kept_in in bots.items():
        store.enter(store.join(called), kept_in)


def extra_credit(folder: Path, assignment: Assignment) -> dict[str, float]:
    """Compute the extra points that each pseudonym earned on the ladder.

    A submission whose newest version is ahead of an anchor, by more than the 95% interval of the
    difference of their ratings, earns that anchor's credit. Only the highest credit counts.

    Args:
        folder: the folder of the league.
        assignment: the assignment.

    Returns:
        The points, by pseudonym.

    Raises:
        FileError: if the records cannot be read.
    """
    league, results = League(folder), Results()
    if (games := league.games_of(league.store.season())).exists():
        for _ in results.read(games):
            pass
    if not results.settings:
        return {}
    _, ratings = results.ratings(None)[0]
    rated = {rating.player for rating in ratings.players}
    credit = {}
    for player in sorted(rated - set(assignment.anchors), key=base_of):
        gained = [0.0]
        for anchor, points in assignment.credit.items():
            with suppress(TKMError):  # they never met, not even through others
                gained += (
                    [points]
                    if anchor in rated and ratings.difference(player, anchor).low > 0
                    else []
                )
        credit[base_of(player)[0]] = max(gained)
    return credit


def _tables(assignment: Assignment, players: list[dict[str, Any]]) -> str:
    limits = assignment.conditions.limits
    tables: list[tuple[str, dict[str, Any]]] = [
        ("", {"games_per_player": _GAMES, "seed": derived(assignment.seed, "ladder")}),
        ("[league]", {"title": assignment.title}),
        (
            "[conditions]",
            {
                "isolation": "sandbox" if limits.container else limits.isolation,
                "turn_seconds": assignment.conditions.turn_seconds or 10,
                "memory_mib": limits.memory_mib,
                "processes": limits.processes,
                "importable": [each for each in limits.importable if each not in CONTESTANT],
                "refused_imports": [*limits.refused_imports],
            },
        ),
        ("[[settings]]", {"game": assignment.spec.name, **changed_settings(assignment.config)}),
        *(("[[players]]", player) for player in players),
    ]
    lines = [
        "# The class ladder, written by tkm course ladder. Grades do not depend on it, except for "
        "extra credit, if the assignment has any."
    ]
    for head, table in tables:
        lines += ["", head] if head else []
        lines += [f"{key} = {toml_of(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"
