"""Tournaments as files: TOML tables of players, settings and conditions; folders of bots."""

import dataclasses
import functools
import os
import shlex
from collections.abc import Mapping
from typing import Any, Final

from tkm_env.arena.playing.adjudication import Adjudication
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.submissions import entrants_in
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.core.initial_positions import SHIPPED
from tkm_env.core.registry import default_game, game_spec
from tkm_env.evaluation.starts import RANDOM, Settings, openings_for
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.toml_file import (
    check_table,
    checked_text,
    listed_texts,
    parsed_anchor,
    read_toml,
    tables_in,
)
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import strongest_isolation
from tkm_env.players.command_agent import CONTESTANT
from tkm_env.players.player_spec import COMMAND, EXPLOIT, POLICY, PYTHON, PlayerSpec

#: The form of a file that describes a tournament.
FORM: Final = "tkm_env tournament"
#: The keys of each table of a file, with their meaning. ``docs/tournaments.md`` is generated from
#: it.
KEYS: Final[Mapping[str, Mapping[str, str]]] = {
    "": {
        "kind": (
            '`"round robin"` (the default), `"gauntlet"`, `"continuous"`, `"swiss"` or `"knockout"`'
        ),
        "pairs": (
            "the number of pairs of games that any two opponents play under each of the settings; "
            "by default 10, or the number of openings if that is smaller or the tournament is "
            "continuous"
        ),
        "challengers": "in a gauntlet, the names of the players that play against all others",
        "rounds": (
            "the number of rounds of a Swiss tournament, at most half the number of players, "
            "rounded up; by default as many as a knockout takes"
        ),
        "within": (
            "a continuous tournament ends once every rating is known to plus or minus this many "
            "Elo; if a player has won or lost every game, it is enough that its interval lies "
            "above or below the other ratings"
        ),
        "games_per_player": (
            "in a continuous tournament, a player with this many games meets only players that "
            "have fewer, until all have this many"
        ),
        "block": (
            "the number of pairs of games that two players play in a row, so that their programs "
            "need not start again; by default 5"
        ),
        "ahead": (
            "in a continuous tournament, a choice ignores the results of the last `ahead` games, "
            "which may still be in progress; by default 64, or twice the number of players if that "
            "is more"
        ),
        "anchor": (
            'a player and its Elo, such as `"greedy=1000"`: ratings and intervals are then '
            "differences from that player, not from the mean"
        ),
        "seed": (
            "a secret number below 2¹²⁸, by default drawn from the system; the same seed gives "
            "the same games, and players could guess a small one"
        ),
        "submissions": "a folder in which each file or folder is a player",
        "conditions": "a table, see below",
        "players": "a list of tables, see below",
        "settings": "a list of tables, see below; by default one with the default settings",
    },
    "players": {
        "player": (
            'a player as in `tkm match`: `"alphabeta:depth=3"`, `"bots/ann.py:Ann"`, '
            '`"policy:mine.npz"`, `"cmd:./bot"`'
        ),
        "name": "its name in records and tables; by default the same as `player`",
        "game": "the only game that it plays",
        "readable": "if players are confined, files and folders that only this player may read",
    },
    "settings": {
        "game": "the name of the game",
        "openings": (
            '`"shipped"` (the default, if the game has any), `"random"`, or a file with a position '
            "on each line; if there are fewer than `pairs`, random openings follow"
        ),
        "opening_turns": (
            "the number of turns of random openings; by default 2, and more once hardly any new "
            "ones are left"
        ),
    },
    "conditions": {
        "isolation": (
            '`"process"` (the default), `"restricted"`, `"sandbox"` (the default with '
            '`submissions`, if the system has one) or `"container"` (the default with `container`)'
        ),
        "container": (
            "the command that runs a program in a container; `{command}` stands for the program's "
            "own command"
        ),
        "readable": "if players are confined, files and folders that all of them may read",
        "importable": (
            "modules and packages of this package, besides the environment, that players in Python "
            "may import; if confined, they cannot see any others. By default all"
        ),
        "refused_imports": (
            "patterns of modules that players in Python may not import, such as "
            "`tkm_env.players.*.search`; if confined, they cannot read this package's either"
        ),
        "start_seconds": "the time for a player to start, in seconds",
        "memory_mib": "the memory of all processes of a player together, in MiB",
        "processes": "the number of processes and threads that a player may have",
        "scratch_mib": "the size of a player's temporary folder in the sandbox, in MiB",
        "output_kib": "the amount that a player may write before an answer, in KiB",
        "trust": "whether players given as Python files run in the referee's process",
        "turn_seconds": "the time for a turn, in seconds",
        "bank_seconds": "the time for all turns of a player together, in seconds",
        "increment_seconds": "the time that each turn adds to the bank, in seconds",
        "adjudicate": (
            "when the [scores](protocol.md#answers) of both players decide a game: with "
            '`"score=0.95,turns=3"`, once one of them reports at least 0.95, and the other at most '
            "-0.95, in three of their own turns in a row; with `,draw=0.02` behind it, scores from "
            "-0.02 to 0.02 draw the game. By default, never"
        ),
        "bench_after": "the number of failed starts in a row after which a player is benched",
        "kept_programs": (
            "the number of players' programs that each process keeps running between games: those "
            "that played last; by default 4"
        ),
    },
}
#: The keys whose values are the fields of the same names.
_AS_THEY_ARE: Final = ("pairs", "rounds", "within", "seed", "games_per_player", "block", "ahead")


def read_tournament(path: str | os.PathLike[str]) -> Tournament:
    """Read the tournament in a TOML file; paths in it are relative to its folder.

    Raises:
        FileError: if it cannot be read, is not TOML, or does not describe a tournament.
    """
    content = read_toml(path, FORM)
    try:
        return tournament_of(content, os.path.dirname(os.fspath(path)))
    except ConfigError as error:
        raise FileError(path, str(error)) from error


def tournament_of(
    content: Mapping[str, Any], folder: str = "", conditions: Conditions | None = None, **more: Any
) -> Tournament:
    """Make the tournament that tables describe.

    Args:
        content: the tables, with the keys of `KEYS`.
        folder: the folder to which paths are relative.
        conditions: how players play, instead of the table of that name; None for that table, in
            which the players of a folder count as strangers, see `conditions_of`.
        **more: further fields of `tkm_env.arena.tournament.tournament.Tournament`, which files
            cannot set.

    Returns:
        The tournament.

    Raises:
        ConfigError: naming the table and the key.
    """
    check_table("", content, KEYS[""])
    kind = content.get("kind", "round robin")
    players = [
        _entrant(table, folder) for table in tables_in(content, "players", [], KEYS["players"])
    ]
    if "submissions" in content:
        submissions = os.path.join(folder, checked_text("submissions", content["submissions"]))
        if kind == "continuous":
            more["newcomers"] = functools.partial(entrants_in, submissions)
        players += entrants_in(submissions)
    return Tournament(
        players=tuple(players),
        settings=tuple(
            _settings(table, folder) for table in tables_in(content, "settings", [{}], None)
        ),
        kind=kind,
        challengers=tuple(listed_texts("challengers", content.get("challengers", ()))),
        conditions=conditions_of(
            content.get("conditions", {}), folder, strangers="submissions" in content
        )
        if conditions is None
        else conditions,
        anchor=parsed_anchor(content["anchor"]) if "anchor" in content else None,
        **{key: content[key] for key in _AS_THEY_ARE if key in content},
        **more,
    )


def _entrant(table: Mapping[str, Any], folder: str) -> Entrant:
    if "player" not in table:
        raise ConfigError("players", table, "each player needs the key 'player'")
    line = checked_text("player", table["player"])
    readable = tuple(
        os.path.join(folder, each) for each in listed_texts("readable", table.get("readable", ()))
    )
    return Entrant(
        checked_text("name", table.get("name", line)),
        _resolve_files(line, folder),
        table.get("game"),
        readable,
    )


def _settings(table: Mapping[str, Any], folder: str) -> Settings:
    spec = game_spec(checked_text("game", table.get("game", default_game())))
    config = spec.config_from_text(
        {key: value for key, value in table.items() if key not in KEYS["settings"]}
    )
    turns = {key: table[key] for key in ("opening_turns",) if key in table}
    source = RANDOM if turns else None
    if "openings" in table:
        source = checked_text("openings", table["openings"])
        if source not in (SHIPPED, RANDOM):
            source = os.path.join(folder, source)
    return Settings(spec.name, config, openings_for(spec, config, source), **turns)


def conditions_of(table: Mapping[str, Any], folder: str, *, strangers: bool = False) -> Conditions:
    """Make the conditions that a table describes.

    Args:
        table: the table, with the keys of ``KEYS["conditions"]``. With ``container`` and without
            ``isolation``, players run in containers.
        folder: the folder to which paths are relative.
        strangers: whether players without ``isolation`` and ``container`` run in
            `tkm_env.isolation.program.strongest_isolation`.

    Returns:
        The conditions.

    Raises:
        ConfigError: naming the key.
    """
    check_table("conditions", table, KEYS["conditions"])
    of_limits = {field.name for field in dataclasses.fields(Limits)}
    limits = {key: value for key, value in table.items() if key in of_limits}
    if "container" in limits:
        limits["container"] = tuple(shlex.split(checked_text("container", limits["container"])))
        limits.setdefault("isolation", "container")
    elif strangers and "isolation" not in limits:
        limits["isolation"] = strongest_isolation()
    if "readable" in limits:
        limits["readable"] = tuple(
            os.path.join(folder, each) for each in listed_texts("readable", limits["readable"])
        )
    if "importable" in limits:
        more = listed_texts("importable", limits["importable"])
        limits["importable"] = (*CONTESTANT, *more)
    if "refused_imports" in limits:
        refused = listed_texts("refused_imports", limits["refused_imports"])
        limits["refused_imports"] = tuple(refused)
    others = {key: value for key, value in table.items() if key not in of_limits}
    if "adjudicate" in others:
        text = checked_text("adjudicate", others.pop("adjudicate"))
        others["adjudication"] = Adjudication.from_text(text)
    if "bank_seconds" in others:
        others.setdefault("turn_seconds", None)
    return Conditions(limits=Limits(**limits), **others)


def _resolve_files(line: str, folder: str) -> str:
    """Return a player's line with its paths taken as relative to a folder."""
    parts = PlayerSpec.parse(line, "player")
    if parts.kind == COMMAND:
        try:
            words = shlex.split(parts.subject)
        except ValueError:
            return line  # refused later, with a better message
        there = [os.path.join(folder, word) for word in words]
        found = (
            path if os.path.exists(path) else word for path, word in zip(there, words, strict=True)
        )
        return f"{COMMAND}:{shlex.join(found)}"
    if parts.kind == POLICY:
        return f"{POLICY}:{os.path.join(folder, line.removeprefix(f'{POLICY}:'))}"
    if parts.kind == EXPLOIT:
        return line.removesuffix(parts.subject) + _resolve_files(parts.subject, folder)
    return os.path.join(folder, line) if parts.kind == PYTHON else line
