"""Tournaments as files: TOML tables of players, settings and conditions, and folders of bots."""

import dataclasses
import functools
import os
import shlex
from collections.abc import Mapping
from typing import Any, Final

from tkm_env.arena.referee import Conditions
from tkm_env.arena.schedule import Entrant
from tkm_env.arena.submissions import entrants_in
from tkm_env.arena.toml_file import (
    check_table,
    checked_text,
    listed_texts,
    parsed_anchor,
    read_toml,
    tables_in,
)
from tkm_env.arena.tournament import Tournament
from tkm_env.core.initial_positions import SHIPPED
from tkm_env.core.registry import default_game, game_spec
from tkm_env.evaluation.starts import RANDOM, Settings, openings_for
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import packaged_json
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import strongest_isolation
from tkm_env.players.command import CONTESTANT
from tkm_env.players.player_line import COMMAND, EXPLOIT, POLICY, PYTHON, parsed_line

#: What each table of a file may hold, with its meaning. ``docs/tournaments.md`` is generated from it.
KEYS: Final[Mapping[str, Mapping[str, str]]] = packaged_json(__package__, "tournament_keys.json")
#: The keys whose values are the fields of the same names.
_AS_THEY_ARE: Final = ("pairs", "rounds", "within", "seed", "games_per_player", "block", "ahead")


def read_tournament(path: str | os.PathLike[str]) -> Tournament:
    """The tournament that a TOML file describes. Paths in it are relative to its folder. Raises a `FileError` if it cannot be read, is not
    TOML, or describes no tournament.
    """
    content = read_toml(path)
    try:
        return tournament_of(content, os.path.dirname(os.fspath(path)))
    except ConfigError as error:
        raise FileError(path, str(error)) from error


def tournament_of(
    content: Mapping[str, Any], folder: str = "", conditions: Conditions | None = None, **more: Any
) -> Tournament:
    """The tournament that tables with the keys of `KEYS` describe; paths in them are relative to the folder. Conditions that are given
    replace those in the tables, in which players of a folder are strangers: see `conditions_of`; ``more`` are fields of a `Tournament`
    that no file has. Raises a `ConfigError` naming the table and the key.
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
    """The conditions in a table with the keys of ``KEYS["conditions"]``; paths in it are relative to the folder. Without ``isolation``, a
    ``container`` is where players run; strangers run in `tkm_env.isolation.program.strongest_isolation`. Raises a `ConfigError` naming the
    key.
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
    parts = parsed_line(line, "player")
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
