"""Tournaments as files: TOML tables of players, settings and conditions, and folders of bots."""

import dataclasses
import functools
import os
import shlex
from collections.abc import Mapping
from typing import Any, Final

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

#: What each table of a file may hold, with its meaning. ``docs/tournaments.md`` is generated from
#: it.
KEYS: Final[Mapping[str, Mapping[str, str]]] = {
    "": {
        "kind": (
            '`"round robin"` (the default), `"gauntlet"`, `"continuous"`, `"swiss"` or `"knockout"`'
        ),
        "pairs": (
            "how many pairs of games each two players play under each of the settings; by default "
            "10, or as many as there are openings if these are fewer, or the tournament is "
            "continuous"
        ),
        "challengers": "in a gauntlet, the names of those who play against all others",
        "rounds": (
            "how many rounds a Swiss tournament has, at most one for every two players; by "
            "default as many as it takes to halve the players to one"
        ),
        "within": (
            "a continuous tournament ends once every rating is known to plus or minus so many "
            "Elo; who won or lost everything only has to be apart from the others"
        ),
        "games_per_player": (
            "in a continuous tournament: who has so many games only plays those who have fewer, "
            "until all have them"
        ),
        "block": (
            "how many pairs of games two players play in a row, for which their programs need not "
            "start again; by default 5"
        ),
        "ahead": (
            "in a continuous tournament: how many games may be under way, on which no choice "
            "depends; 64 by default, or two for each player if these are more"
        ),
        "anchor": (
            'a player and its Elo, as `"greedy=1000"`: ratings and intervals are then about the '
            "difference from it, not from the mean"
        ),
        "seed": (
            "a secret number below 2¹²⁸, by default drawn from the system; the same seed gives "
            "the same games, and players could guess a small one"
        ),
        "submissions": "a folder in which each file or folder is a player",
        "conditions": "a table, see below",
        "players": "a list of tables, see below",
        "settings": "a list of tables, see below; by default one of the default settings",
    },
    "players": {
        "player": (
            'a player as in `tkm match`: `"alphabeta:depth=3"`, `"bots/ann.py:Ann"`, '
            '`"policy:mine.npz"`, `"cmd:./bot"`'
        ),
        "name": "its name in records and tables; by default the same text",
        "game": "the only game that it plays",
        "readable": "where players are confined: files and folders that only it may read",
    },
    "settings": {
        "game": "the name of the game",
        "openings": (
            '`"shipped"` (the default, where there are), `"random"`, or a file with a position on '
            "each line; random ones follow where `pairs` is more"
        ),
        "opening_turns": (
            "how many turns random openings have; by default 2, and more once there are hardly "
            "any others"
        ),
    },
    "conditions": {
        "isolation": (
            '`"process"` (the default), `"restricted"`, `"sandbox"` (the default with '
            '`submissions`, where there is one) or `"container"` (the default with `container`)'
        ),
        "container": (
            "the command that runs a program in a container, with `{command}` where it goes"
        ),
        "readable": "where players are confined: files and folders that they may read",
        "importable": (
            "modules and packages of this package, besides the environment, that players in Python "
            "may import; if confined, they find no others. By default all"
        ),
        "refused_imports": (
            "patterns of modules that players in Python may not import, such as "
            "`tkm_env.players.*.search`; if confined, they cannot read this package's either"
        ),
        "start_seconds": "how long a player may take to start",
        "memory_mib": "the memory of all processes of a player",
        "processes": "how many processes and threads a player may have",
        "scratch_mib": "how large a player's temporary folder is in the sandbox",
        "output_kib": "how much a player may write before an answer",
        "trust": "whether files run in the referee's process",
        "turn_seconds": "how long a turn may take",
        "bank_seconds": "how long all turns of a player may take together",
        "increment_seconds": "what each turn adds to that",
        "bench_after": "after how many failed starts in a row a player is benched",
        "kept_programs": (
            "how many players' programs each process keeps running between games; by default 4, "
            "the last ones"
        ),
    },
}
#: The keys whose values are the fields of the same names.
_AS_THEY_ARE: Final = ("pairs", "rounds", "within", "seed", "games_per_player", "block", "ahead")


def read_tournament(path: str | os.PathLike[str]) -> Tournament:
    """The tournament that a TOML file describes. Paths in it are relative to its folder.

    Raises:
        FileError: if it cannot be read, is not TOML, or describes no tournament.
    """
    content = read_toml(path)
    try:
        return tournament_of(content, os.path.dirname(os.fspath(path)))
    except ConfigError as error:
        raise FileError(path, str(error)) from error


def tournament_of(
    content: Mapping[str, Any], folder: str = "", conditions: Conditions | None = None, **more: Any
) -> Tournament:
    """The tournament that tables with the keys of `KEYS` describe.

    Args:
        content: the tables.
        folder: what paths in them are relative to.
        conditions: how players play, in place of the table of that name; None to go by that table,
            by which players of a folder are strangers, see `conditions_of`.
        **more: fields of a `tkm_env.arena.tournament.tournament.Tournament` that no file has.

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
        raise ConfigError("players", table, "each needs the key 'player'")
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
    """The conditions in a table with the keys of ``KEYS["conditions"]``.

    Args:
        table: the table. Without ``isolation``, a ``container`` is where players run.
        folder: what paths in it are relative to.
        strangers: whether players run, without ``isolation``, in
            `tkm_env.isolation.program.strongest_isolation`.

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
    if "bank_seconds" in others:
        others.setdefault("turn_seconds", None)
    return Conditions(limits=Limits(**limits), **others)


def _resolve_files(line: str, folder: str) -> str:
    """A player's line with the paths in it taken as relative to a folder."""
    parts = PlayerSpec.parse(line, "player")
    if parts.kind == COMMAND:
        try:
            words = shlex.split(parts.subject)
        except ValueError:
            return line  # refused later, with a better message
        there = (os.path.join(folder, word) for word in words)
        return f"{COMMAND}:{shlex.join(path if os.path.exists(path) else word for path, word in zip(there, words, strict=True))}"
    if parts.kind == POLICY:
        return f"{POLICY}:{os.path.join(folder, line.removeprefix(f'{POLICY}:'))}"
    if parts.kind == EXPLOIT:
        return line.removesuffix(parts.subject) + _resolve_files(parts.subject, folder)
    return os.path.join(folder, line) if parts.kind == PYTHON else line
