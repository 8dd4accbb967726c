"""Game records: a finished or unfinished game as a JSON object, checked action by action when read. Imports `game`, `config`, `files`.

The form is documented in ``docs/records.md``; `FIELDS` is the table it is made from.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tkm_env.config import GameConfig, configured
from tkm_env.engine.actions import ACTIONS
from tkm_env.engine.state import PLAYERS
from tkm_env.errors import FileError, IllegalActionError, RecordError, TKMError
from tkm_env.game import Game
from tkm_env.notation import RESULTS

__all__ = ["FIELDS", "KIND", "VERSION", "from_record", "read_records", "to_record", "write_record"]

KIND: Final = "tkm_env game record"
VERSION: Final = 1

#: The keys of a record: name, whether it must be there, meaning.
FIELDS: Final = (
    ("kind", True, f'"{KIND}"'),
    ("version", True, f"of this form: {VERSION}"),
    ("config", True, "the settings that differ from the defaults, by the keywords of `GameConfig`"),
    ("seed", False, "the number from which chance was drawn, if it is known"),
    ("position", False, "the position in which the game began, where the settings alone do not say it"),
    ("players", False, "the names of white and black, by side"),
    ("actions", True, "the names of all actions, in order"),
    ("result", True, '"1-0", "0-1", "1/2", "*", or null while the game goes on'),
    ("seconds", False, "how long each decision took, one number for each action"),
)


def to_record(
    game: Game,
    *,
    players: Mapping[str, str] | None = None,
    seed: int | None = None,
    seconds: Sequence[float] | None = None,
) -> dict[str, Any]:
    """The record of a game: what `json.dumps` takes.

    Args:
        game: the game; it stays as it is.
        players: the names of "white" and "black".
        seed: what the game was seeded with.
        seconds: how long each decision took.

    Raises:
        RecordError: if one of these does not fit the game.

    >>> game = Game(chapters="growth")
    >>> game.play("choose 1")
    >>> to_record(game)["actions"]
    ['choose 1']
    """
    config = game.config
    defaults = GameConfig()
    fields = [field.name for field in dataclasses.fields(config)]
    record: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "config": {name: getattr(config, name) for name in fields if getattr(config, name) != getattr(defaults, name)},
    }
    if seed is not None:
        record["seed"] = seed
    start = game.start
    if start.position != Game(config, seed=0).position or len(config.starts()[0]) > 1:
        record["position"] = start.position
    if players is not None:
        record["players"] = dict(players)
    record |= {"actions": [ACTIONS[action] for action in game.history], "result": game.result}
    if seconds is not None:
        record["seconds"] = [round(second, 6) for second in seconds]
    # What is written must be what can be read.
    record = json.loads(json.dumps(record))
    _check_form(record)
    return record


def from_record(record: Mapping[str, Any]) -> Game:
    """The game that a record tells, played again.

    Raises:
        RecordError: naming the key that is wrong, or the ply (from 1) whose action is illegal where it stands.

    >>> from_record({"kind": KIND, "version": 1, "config": {}, "actions": ["choose 1"], "result": None}).position
    'W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P1 4/4 - ---/--- -/- 1'
    """
    _check_form(record)
    try:
        config = configured(None, record["config"])
    except TKMError as error:
        raise RecordError("config", str(error)) from error
    if "position" not in record and len(config.starts()[0]) > 1:
        raise RecordError("position", "it must be there: these settings leave to chance how the game begins")
    try:
        game = Game(config, seed=0, position=record.get("position"))
    except TKMError as error:
        raise RecordError("position", str(error)) from error
    try:
        for action in record["actions"]:
            game.play(action)
    except IllegalActionError as error:
        ply = len(game.history) + 1
        raise RecordError("actions", f"ply {ply}: {error}", ply=ply) from None
    if game.result != record["result"]:
        raise RecordError("result", f"it is {record['result']!r}, but these actions lead to {game.result!r}")
    return game


def _check_form(record: object) -> None:
    """Raise `RecordError` unless all keys are there, known, and of their kind."""
    if not isinstance(record, Mapping):
        raise RecordError("record", f"it must be a JSON object, not {type(record).__name__}")
    for name, needed, _ in FIELDS:
        if needed and name not in record:
            raise RecordError(name, "it must be there")
    for name in record:
        if name not in [field for field, _, _ in FIELDS]:
            raise RecordError(str(name), f"there is no such key; there are {', '.join(field for field, _, _ in FIELDS)}")
    actions = record["actions"]
    checks = {
        "kind": (record["kind"] == KIND, f"it must be {KIND!r}"),
        "version": (record["version"] == VERSION, f"it must be {VERSION}, the only one there is"),
        "config": (isinstance(record["config"], Mapping), "it must be an object of settings"),
        "seed": (_is_number(record.get("seed", 0), int), "it must be a whole number"),
        "position": (isinstance(record.get("position", ""), str), "it must be the text of a position"),
        "players": (_are_names(record.get("players")), "it must be an object with the names of white and black"),
        "actions": (_are(actions, str), "it must be a list of names of actions"),
        "result": (record["result"] is None or record["result"] in RESULTS.values(), "it must be null or a result"),
        "seconds": (
            "seconds" not in record
            or (_are(record["seconds"], (int, float)) and isinstance(actions, list) and len(record["seconds"]) == len(actions)),
            "it must be a list of numbers, one for each action",
        ),
    }
    for name, (fits, wanted) in checks.items():
        if not fits:
            raise RecordError(name, f"{wanted}, not {record.get(name)!r}")


def _is_number(value: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _are(values: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(values, list) and all(_is_number(value, kind) for value in values)


def _are_names(players: object) -> bool:
    return players is None or (
        isinstance(players, Mapping) and set(players) == set(PLAYERS) and all(isinstance(name, str) for name in players.values())
    )


def write_record(path: str | os.PathLike[str], record: Mapping[str, Any]) -> None:
    """Add a record to a file of JSON lines, which is made if there is none."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def read_records(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records in a file, each with the number of its line: a file of JSON lines, or one record over several lines.

    The games are not played; that does `from_record`.

    Raises:
        FileError: naming the line that holds no record.
    """
    text = Path(path).read_text("utf-8")
    whole = _parsed(text)
    lines: Iterable[tuple[int, str]] = [(1, text)] if whole is not None else enumerate(text.splitlines(), 1)
    for number, line in lines:
        if not line.strip():
            continue
        record = _parsed(line)
        try:
            _check_form(record)
        except RecordError as error:
            raise FileError(path, f"line {number} holds no game record: {error}") from None
        assert record is not None
        yield number, record


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        content: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError:
        return None
    return content
