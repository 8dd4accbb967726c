"""Tournaments as files: TOML tables of players, settings and conditions, and folders of bots."""

import dataclasses
import functools
import os
import shlex
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tkm_env.agents.player_line import COMMAND, EXPLOIT, POLICY, PYTHON, parsed_line
from tkm_env.arena.bot_templates import BUILD
from tkm_env.arena.referee import Conditions
from tkm_env.arena.schedule import Entrant, Settings
from tkm_env.arena.starts import RANDOM, openings_for
from tkm_env.arena.submitted_folder import check_folder
from tkm_env.arena.toml_file import check_table, checked_text, listed_texts, parsed_anchor, read_toml, tables_in
from tkm_env.arena.tournament import Tournament
from tkm_env.arena.tournament_plan import check_name
from tkm_env.batch.initial_positions import SHIPPED
from tkm_env.errors import ConfigError, FileError
from tkm_env.files import checked_path, failing_as, packaged_json
from tkm_env.game.registry import default_game, game_spec
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import strongest_isolation

#: The class or function that a Python file of bots must hold.
_BOT: Final = "Bot"
#: In a bot's own folder: its Python file, the first one found, or else its program.
_FILES, _PROGRAM = ("bot.py", "agent.py"), "run"

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


def tournament_of(content: Mapping[str, Any], folder: str = "", conditions: Conditions | None = None, **more: Any) -> Tournament:
    """The tournament that tables with the keys of `KEYS` describe; paths in them are relative to the folder. Conditions that are given
    replace those in the tables, in which players of a folder are strangers: see `conditions_of`; ``more`` are fields of a `Tournament`
    that no file has. Raises a `ConfigError` naming the table and the key.
    """
    check_table("", content, KEYS[""])
    kind = content.get("kind", "round robin")
    players = [_entrant(table, folder) for table in tables_in(content, "players", [], KEYS["players"])]
    if "submissions" in content:
        submissions = os.path.join(folder, checked_text("submissions", content["submissions"]))
        if kind == "continuous":
            more["newcomers"] = functools.partial(entrants_in, submissions)
        players += entrants_in(submissions)
    return Tournament(
        players=tuple(players),
        settings=tuple(_settings(table, folder) for table in tables_in(content, "settings", [{}], None)),
        kind=kind,
        challengers=tuple(listed_texts("challengers", content.get("challengers", ()))),
        conditions=conditions_of(content.get("conditions", {}), folder, strangers="submissions" in content)
        if conditions is None
        else conditions,
        anchor=parsed_anchor(content["anchor"]) if "anchor" in content else None,
        **{key: content[key] for key in _AS_THEY_ARE if key in content},
        **more,
    )


def entrants_in(folder: str | os.PathLike[str]) -> tuple[Entrant, ...]:
    """The players in a folder, by name, with a warning that says why for whatever is none. Raises a `FileError` if the folder cannot be
    read.

    ``ann.py`` is the player *ann*: the class or function ``Bot`` in it. Any other executable file is a program that speaks the protocol of
    ``docs/protocol.md``. A folder is a player of several files: it holds a ``bot.py``, an ``agent.py`` or a program ``run``. Names that
    begin with a dot or an underscore are ignored. Whatever is a link is no player, nor is a folder that `check_folder` refuses.
    """
    place = checked_path(folder)
    with failing_as(folder, "read"):
        paths = sorted(path for path in place.iterdir() if not path.name.startswith((".", "_")))
    found: list[Entrant] = []
    for path in paths:
        try:
            if path.is_symlink() and path.exists():
                raise FileError(path, "no player: it is a link; copy what it leads to")
            found.append(_submission(path))
        except FileError as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=1)  # with this place, so that it is said once
    return tuple(found)


def entrants_at(path: str | os.PathLike[str]) -> tuple[Entrant, ...]:
    """The player that a file or folder holds, as one of those in `entrants_in`; of another folder, all players in it. Raises a
    `FileError` if it cannot be read, or holds none.
    """
    place = checked_path(path)
    is_one = not place.is_dir() or any((place / name).exists() for name in (*_FILES, _PROGRAM, BUILD))
    return (() if is_one else entrants_in(place)) or (_submission(place),)


def _submission(path: Path) -> Entrant:
    """The player that a file or folder holds; raises a `FileError` if it holds none, or nobody can be called so."""
    name = path.name if path.is_dir() else path.stem
    try:
        check_name(name)
    except ConfigError as error:
        raise FileError(path, f"no player: {error.reason}; rename it") from None
    if not path.is_dir():
        return Entrant(name, _line_of(path))
    check_folder(path)
    file = next((path / name for name in (*_FILES, _PROGRAM) if (path / name).exists()), None)
    if file is None:
        remedy = f"; run its {BUILD} first" if (path / BUILD).exists() else ""
        raise FileError(path, f"no player: the folder holds no {', '.join(_FILES)} or {_PROGRAM}{remedy}")
    return Entrant(name, _line_of(file), readable=(str(path),))


def _line_of(path: Path) -> str:
    """The player that a file holds, as `tkm_env.agents.specs.make_agent` reads it; raises a `FileError` if it holds none."""
    if not path.is_file():
        raise FileError(path, "no player: it is no file, or leads to none")
    if path.suffix == ".py":
        return f"{path}:{_BOT}"
    if not os.access(path, os.X_OK):
        remedy = f"if it is a program: chmod +x {shlex.quote(str(path))}"
        raise FileError(path, f"no player: it is neither Python nor executable; {remedy}")
    # Without a slash, a program's name is looked up in PATH.
    return f"{COMMAND}:{shlex.quote(os.path.join('.', path))}"


def _entrant(table: Mapping[str, Any], folder: str) -> Entrant:
    if "player" not in table:
        raise ConfigError("players", table, "each needs the key 'player'")
    line = checked_text("player", table["player"])
    readable = tuple(os.path.join(folder, each) for each in listed_texts("readable", table.get("readable", ())))
    return Entrant(checked_text("name", table.get("name", line)), _resolve_files(line, folder), table.get("game"), readable)


def _settings(table: Mapping[str, Any], folder: str) -> Settings:
    spec = game_spec(checked_text("game", table.get("game", default_game())))
    config = spec.config_from_text({key: value for key, value in table.items() if key not in KEYS["settings"]})
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
        limits["readable"] = tuple(os.path.join(folder, each) for each in listed_texts("readable", limits["readable"]))
    if "refused_imports" in limits:
        limits["refused_imports"] = tuple(listed_texts("refused_imports", limits["refused_imports"]))
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
