"""Game records: a finished or unfinished game as a JSON object, checked action by action when read.

The format is documented in ``docs/records.md``, which is generated from `FIELDS`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tkm_env.core.faults import FAULTS, START
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import default_game, game_names, game_spec
from tkm_env.core.settings import changed_settings
from tkm_env.errors import FileError, IllegalActionError, RecordError, TKMError

__all__ = ["FIELDS", "KIND", "VERSION", "from_record", "read_records", "refuse_other_game", "to_record", "write_record"]

KIND: Final = "tkm_env game record"
VERSION: Final = 2

#: The keys of a record: name, whether it is required, meaning.
FIELDS: Final = (
    ("kind", True, f'"{KIND}"'),
    ("version", True, f"of this format: {VERSION}"),
    ("game", True, "the game's name in the registry"),
    ("config", True, "the settings that differ from the defaults, by the keywords of the game's config"),
    ("seed", False, "the seed of everything left to chance, if known"),
    ("position", False, "the position in which the game began, hidden parts included, where the settings do not determine it"),
    ("players", False, "the names of both players, by side"),
    ("actions", True, "the names of all actions, in order"),
    ("result", True, '"1-0", "0-1", "1/2", "*", or null while the game is in progress'),
    ("seconds", False, "how long each decision took, one number for each action"),
    (
        "fault",
        False,
        "what ended the game early, lost for the player who did it: `player`, the side; `kind`; `ply`, the number of the action that was "
        "due, 0 if the player failed to start; `seen`, what was seen",
    ),
    ("isolation", False, "where each player ran, by side"),
)


def to_record(
    game: BaseGame,
    *,
    players: Mapping[str, str] | None = None,
    seed: int | None = None,
    seconds: Sequence[float] | None = None,
    fault: Mapping[str, Any] | None = None,
    isolation: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The record of a game, ready for `json.dumps`.

    Args:
        game: the game; it is not changed.
        players: the names of both players, by side.
        seed: what the game was seeded with.
        seconds: how long each decision took.
        fault: what ended an unfinished game: ``player``, ``kind``, ``ply`` and ``seen``; that player has lost.
        isolation: where each player ran, by side.

    Raises:
        RecordError: if one of the arguments does not fit the game.

    >>> from tkm_env import Game
    >>> game = Game(chapters="growth")
    >>> game.play("choose 1")
    >>> to_record(game)["actions"]
    ['choose 1']
    """
    kind, config = type(game), game.config
    record: dict[str, Any] = {"kind": KIND, "version": VERSION, "game": game.name, "config": changed_settings(config)}
    if seed is not None:
        record["seed"] = seed
    start = game.start
    if config.begins_by_chance or start.position != kind(config, seed=0).position:
        record["position"] = start.position
    if players is not None:
        record["players"] = dict(players)
    record |= {"actions": [game.action_names[action] for action in game.history], "result": game.result}
    if seconds is not None:
        record["seconds"] = [round(second, 6) for second in seconds]
    if fault is not None:
        record["fault"] = dict(fault)
    if isolation is not None:
        record["isolation"] = dict(isolation)
    # What is written must be readable.
    record = json.loads(json.dumps(record))
    _check_form(record)
    record["result"] = _result_of(record, game)
    return record


def from_record(record: Mapping[str, Any]) -> BaseGame:
    """The game that a record describes, played again.

    Raises:
        RecordError: naming the key that is wrong, or the ply (from 1) of the first illegal action.

    >>> from_record({"kind": KIND, "version": 2, "game": "tkm", "config": {}, "actions": ["choose 1"], "result": None}).position
    'W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P1 4/4 - ---/--- -/- 1'
    """
    record = _in_this_form(record)
    _check_form(record)
    game = _start_of(record)
    try:
        for action in record["actions"]:
            game.play(action)
    except IllegalActionError as error:
        ply = len(game.history) + 1
        raise RecordError("actions", f"ply {ply}: {error}", ply=ply) from None
    result = _result_of(record, game)
    if result != record["result"]:
        raise RecordError("result", f"it is {record['result']!r}, but these actions lead to {result!r}")
    return game


def _result_of(record: Mapping[str, Any], game: BaseGame) -> str | None:
    """The result of a game that was played to the end of a record: a player's fault decides one that goes on."""
    if "fault" not in record:
        return game.result
    fault = record["fault"]
    due = len(game.history) + 1
    if game.result is not None:
        raise RecordError("fault", f"the game is over without it, {game.result}")
    if fault["ply"] not in (START, due):
        raise RecordError("fault", f"its ply must be {due}, that of the action that is due, or {START}, not {fault['ply']!r}")
    if fault["ply"] == START and game.history:
        raise RecordError("fault", f"its ply cannot be {START}, since actions were played")
    if fault["ply"] != START and fault["kind"] != "illegal" and fault["player"] != game.to_act:
        raise RecordError("fault", f"{game.to_act} is to act, not {fault['player']}")
    return "0-1" if fault["player"] == game.players[0] else "1-0"


def _start_of(record: Mapping[str, Any]) -> BaseGame:
    """The game as it began."""
    spec = game_spec(record["game"])
    settings = record["config"]
    for setting in spec.settings:
        if setting.kind == "file" and isinstance(settings.get(setting.keyword), str):
            raise RecordError(
                "config", f"a record holds the {setting.keyword} itself, not the name of a file: {settings[setting.keyword]!r}"
            )
    try:
        config = spec.config(settings)
    except TKMError as error:
        raise RecordError("config", str(error)) from error
    if "position" not in record and config.begins_by_chance:
        raise RecordError("position", "it is required: under these settings the game begins by chance")
    try:
        # With two seeds: a game that is the same with both does not depend on them.
        game, other = (spec.game_class(config, seed=seed, position=record.get("position")) for seed in range(2))
    except TKMError as error:
        raise RecordError("position", str(error)) from error
    if game != other:
        raise RecordError("position", "it must be complete, including what the players do not see")
    return game


def _in_this_form(record: Any) -> Any:
    """A record of version 1, which had only one game, converted to the current version; anything else as it is."""
    first = isinstance(record, Mapping) and record.get("version") == 1 and "game" not in record
    return {**record, "version": VERSION, "game": default_game()} if first else record


def _check_form(record: object) -> None:
    """Raise `RecordError` unless all required keys are present, and all keys are known and of the right type."""
    if not isinstance(record, Mapping):
        raise RecordError("record", f"it must be a JSON object, not {type(record).__name__}")
    for name, needed, _ in FIELDS:
        if needed and name not in record:
            raise RecordError(name, "it is required")
    for name in record:
        if name not in [field for field, _, _ in FIELDS]:
            raise RecordError(str(name), f"there is no such key; valid keys: {', '.join(field for field, _, _ in FIELDS)}")
    if record["game"] not in game_names():
        raise RecordError("game", f"it must be {' or '.join(map(repr, game_names()))}, not {record['game']!r}")
    game_class, actions = game_spec(record["game"]).game_class, record["actions"]
    checks = {
        "kind": (record["kind"] == KIND, f"it must be {KIND!r}"),
        "version": (record["version"] == VERSION, f"it must be {VERSION}, or 1 where no game is named"),
        "config": (isinstance(record["config"], Mapping), "it must be an object of settings"),
        "seed": (_is_number(record.get("seed", 0), int), "it must be a whole number"),
        "position": (isinstance(record.get("position", ""), str), "it must be the text of a position"),
        "players": (
            _are_names(record.get("players"), game_class.players),
            f"it must be an object with the names of {' and '.join(game_class.players)}",
        ),
        "actions": (_are(actions, str), "it must be a list of names of actions"),
        "result": (record["result"] is None or record["result"] in game_class.results.values(), "it must be null or a result"),
        "seconds": (
            "seconds" not in record
            or (_are(record["seconds"], (int, float)) and isinstance(actions, list) and len(record["seconds"]) == len(actions)),
            "it must be a list of numbers, one for each action",
        ),
        "fault": (
            "fault" not in record or _is_fault(record["fault"], game_class.players),
            f"it must be an object with player, one of {' and '.join(game_class.players)}, kind, one of {', '.join(FAULTS)}, ply and seen",
        ),
        "isolation": (
            "isolation" not in record or _are_names(record["isolation"], game_class.players),
            f"it must be an object with where {' and '.join(game_class.players)} ran",
        ),
    }
    for name, (fits, wanted) in checks.items():
        if not fits:
            raise RecordError(name, f"{wanted}, not {record.get(name)!r}")


def _is_number(value: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _are(values: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(values, list) and all(_is_number(value, kind) for value in values)


def _are_names(players: object, sides: Sequence[str]) -> bool:
    return players is None or (
        isinstance(players, Mapping) and set(players) == set(sides) and all(isinstance(name, str) for name in players.values())
    )


def _is_fault(fault: object, sides: Sequence[str]) -> bool:
    return (
        isinstance(fault, Mapping)
        and set(fault) == {"player", "kind", "ply", "seen"}
        and all(isinstance(fault[key], str) for key in ("player", "kind", "seen"))
        and fault["player"] in sides
        and fault["kind"] in FAULTS
        and type(fault["ply"]) is int
        and fault["ply"] >= START
    )


def refuse_other_game(expected: str, found: str) -> RecordError:
    """The error for a record of another game."""
    return RecordError("game", f"it must be {expected!r}, not {found!r}")


def write_record(path: str | os.PathLike[str], record: Mapping[str, Any]) -> None:
    """Append a record to a JSON Lines file, which is created if it does not exist."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def read_records(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records in a file, each with its line number: a JSON Lines file, or one record over several lines.

    Records of an earlier version are converted to the current one. The games are not played; `from_record` does that.

    Raises:
        FileError: naming the line that does not hold a record.
    """
    text = Path(path).read_text("utf-8")
    whole = _parsed(text)
    lines: Iterable[tuple[int, str]] = [(1, text)] if whole is not None else enumerate(text.splitlines(), 1)
    for number, line in lines:
        if not line.strip():
            continue
        record = _in_this_form(_parsed(line))
        try:
            _check_form(record)
        except RecordError as error:
            raise FileError(path, f"line {number} is not a game record: {error}") from None
        assert record is not None
        yield number, record


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        content: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError:
        return None
    return content
