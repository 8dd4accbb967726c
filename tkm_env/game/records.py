"""Game records: a finished or unfinished game as a JSON object, checked action by action when read.

The format is documented in ``docs/records.md``, which is generated from `FIELDS`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tkm_env.checks import is_text
from tkm_env.errors import FileError, IllegalActionError, RecordError, TKMError, shown
from tkm_env.files import BLANK, parsed_json, read_file
from tkm_env.game.base import BaseGame
from tkm_env.game.faults import FAULTS, START
from tkm_env.game.registry import default_game, game_names, game_spec
from tkm_env.game.settings import changed_settings
from tkm_env.line_file import LineFile
from tkm_env.render.replay import Replay

KIND: Final = "tkm_env game record"
VERSION: Final = 2

#: Seconds to wait while others append to the same file.
_PATIENCE: Final = 5.0
#: Thirty years: more would be no time, and sums of it no numbers.
_MOST_SECONDS: Final = 1e9
#: A billion GiB.
_MOST_MIB: Final = 1e12
#: Larger numbers cannot be read again.
_MOST_SEED: Final = 10**1000

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
    ("memory", False, "the most resident memory, in MiB, of the processes of each player who had some, by side"),
)


def to_record(
    game: BaseGame,
    *,
    players: Mapping[str, str] | None = None,
    seed: int | None = None,
    seconds: Sequence[float] | None = None,
    fault: Mapping[str, Any] | None = None,
    isolation: Mapping[str, str] | None = None,
    memory: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """The record of a game, ready for `json.dumps`.

    Args:
        game: the game; it is not changed.
        players: the names of both players, by side.
        seed: what the game was seeded with, from 0.
        seconds: how long each decision took, from 0.
        fault: what ended an unfinished game: ``player``, ``kind``, ``ply`` and ``seen``; that player has lost.
        isolation: where each player ran, by side.
        memory: the most resident memory of players' processes, in MiB, from 0; by side, none for those without.

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
        record["players"] = players
    record |= {"actions": [game.action_names[action] for action in game.history], "result": game.result}
    if seconds is not None:
        record["seconds"] = _listed(seconds)
    if fault is not None:
        record["fault"] = fault
    if isolation is not None:
        record["isolation"] = isolation
    if memory is not None:
        record["memory"] = memory
    # What is written must be readable.
    record = {key: _as_json(key, value) for key, value in record.items()}
    _check_form(record)
    if seconds is not None:
        record["seconds"] = [round(second, 6) for second in record["seconds"]]
    if memory is not None:
        record["memory"] = {side: round(size, 1) for side, size in record["memory"].items()}
    record["result"] = _result_of(record, game)
    return record


def _listed(values: object) -> object:
    """A sequence of numbers as a list; anything else as it is."""
    return (
        list(values) if isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, (str, bytes, bytearray)) else values
    )


def _as_json(key: str, value: object) -> Any:
    """The value of a key as it will be read."""
    try:
        return parsed_json(json.dumps(value, allow_nan=False, default=_of_json_type).encode("utf-8"))
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(key, f"{shown(value)} cannot be written: {error}") from None


def _of_json_type(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"JSON has nothing like {type(value).__name__}")


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
        raise RecordError("result", f"it is {shown(record['result'])}, but these actions lead to {result!r}")
    return game


def replay_of(record: Mapping[str, Any]) -> Replay:
    """The replay of the game that a record describes, whichever game it is.

    Raises:
        RecordError: if it does not describe a game.

    >>> replay_of({"kind": KIND, "version": 2, "game": "tkm", "config": {}, "actions": ["choose 1"], "result": None}).result
    'unfinished'
    """
    replay = from_record(record).replay(record.get("players"))
    if "fault" not in record:
        return replay
    fault = record["fault"]
    failure = "a failed start" if fault["ply"] == START else f"a fault ({fault['kind']})"
    return replay._replace(result=f"{fault['player']} lost by {failure}: {fault['seen']}")


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
                "config", f"a record holds the {setting.keyword} itself, not the name of a file: {shown(settings[setting.keyword])}"
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
    first = isinstance(record, Mapping) and _is_version(record.get("version"), 1) and "game" not in record
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
    if not isinstance(record["game"], str) or record["game"] not in game_names():
        raise RecordError("game", f"it must be {' or '.join(map(repr, game_names()))}, not {shown(record['game'])}")
    game_class, actions = game_spec(record["game"]).game_class, record["actions"]
    result, seed = record["result"], record.get("seed", 0)
    checks = {
        "kind": (isinstance(record["kind"], str) and record["kind"] == KIND, f"it must be {KIND!r}"),
        "version": (_is_version(record["version"], VERSION), f"it must be {VERSION}, or 1 where no game is named"),
        "config": (isinstance(record["config"], Mapping), "it must be an object of settings"),
        "seed": (type(seed) is int and 0 <= seed < _MOST_SEED, "it must be a whole number from 0, of at most a thousand digits"),
        "position": (isinstance(record.get("position", ""), str), "it must be the text of a position"),
        "players": (
            "players" not in record or _are_names(record["players"], game_class.players),
            f"it must be an object with the names of {' and '.join(game_class.players)}",
        ),
        "actions": (
            isinstance(actions, list) and all(isinstance(action, str) for action in actions),
            "it must be a list of names of actions",
        ),
        "result": (
            result is None or (isinstance(result, str) and result in game_class.results.values()),
            "it must be null or a result",
        ),
        "seconds": (
            "seconds" not in record
            or (_are_times(record["seconds"]) and isinstance(actions, list) and len(record["seconds"]) == len(actions)),
            "it must be a list of numbers from 0, one for each action",
        ),
        "fault": (
            "fault" not in record or _is_fault(record["fault"], game_class.players),
            f"it must be an object with player, one of {' and '.join(game_class.players)}, kind, one of {', '.join(FAULTS)}, ply and seen",
        ),
        "isolation": (
            "isolation" not in record or _are_names(record["isolation"], game_class.players),
            f"it must be an object with where {' and '.join(game_class.players)} ran",
        ),
        "memory": (
            "memory" not in record or _are_sizes(record["memory"], game_class.players),
            f"it must be an object with numbers from 0 of MiB for {' and '.join(game_class.players)}, or for one of them",
        ),
    }
    for name, (fits, wanted) in checks.items():
        if not fits:
            raise RecordError(name, f"{wanted}, not {shown(record[name])}")


def _is_version(given: object, version: int) -> bool:
    return type(given) is int and given == version


def _are_times(values: object) -> bool:
    return isinstance(values, list) and all(_is_number(value, _MOST_SECONDS) for value in values)


def _are_sizes(sizes: object, sides: Sequence[str]) -> bool:
    return (
        isinstance(sizes, Mapping)
        and len(sizes) > 0
        and {*sizes} <= {*sides}
        and all(_is_number(size, _MOST_MIB) for size in sizes.values())
    )


def _is_number(value: Any, most: float) -> bool:
    return type(value) in (int, float) and 0 <= value <= most


def _are_names(players: object, sides: Sequence[str]) -> bool:
    return isinstance(players, Mapping) and set(players) == set(sides) and all(map(is_text, players.values()))


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
    """Append a record to a JSON Lines file, which is made if there is none: the whole line or, if that fails, nothing.

    Several threads and programs may append to a file at the same time.

    Raises:
        RecordError: if it is not a record.
        FileError: if the file cannot be written, or ends in anything but a record.
    """
    line = line_of(record)
    with LineFile(path, _PATIENCE) as file:
        _check_end(file)
        file.append_line(line)


def check_appendable(path: str | os.PathLike[str]) -> None:
    """Check that `write_record` can append a record to this file, before a game begins that is to be saved.

    Raises:
        FileError: if it cannot.
    """
    with LineFile(path, _PATIENCE) as file:
        _check_end(file)
        file.check_room()


def _check_end(file: LineFile) -> None:
    """Raise a `FileError` unless the last line holds a record."""
    line = file.last_line().strip(BLANK)
    try:
        if line:
            _record_in(line)
    except ValueError as error:
        raise FileError(file.path, f"nothing is appended, since its last line is not a game record: {error}") from None


def line_of(record: Mapping[str, Any]) -> bytes:
    """The line of a file that holds a record.

    Raises:
        RecordError: if it is not one.
    """
    _check_form(_in_this_form(record))
    written = {key: _as_json(key, value) for key, value in record.items()}
    _check_form(_in_this_form(written))  # JSON turns some keys and values into others
    return json.dumps(written).encode("utf-8")


def read_records(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records in a file, each with its line number: a JSON Lines file, or one record over several lines.

    Records of an earlier version are converted to the current one. The games are not played; `from_record` does that.

    Raises:
        FileError: if it cannot be read, naming the line that does not hold a record.
    """
    content = read_file(path)
    yield from records_in(path, [content] if _is_json(content) else content.split(b"\n"))


def read_growing(path: str | os.PathLike[str]) -> tuple[Iterator[tuple[int, dict[str, Any]]], bool]:
    """The records in a file to which somebody may be writing, as `read_records` has them.

    Returns:
        the records, and whether a last line was left out of which only the beginning is there.

    Raises:
        FileError: as `read_records`.
    """
    content = read_file(path)
    if _is_json(content):
        return records_in(path, [content]), False
    *lines, last = content.split(b"\n")
    known = json.dumps({"kind": KIND}).encode("utf-8")[:-1]
    is_cut = bool(last) and not _is_json(last) and (last.startswith(known) or known.startswith(last))
    return records_in(path, lines if is_cut else [*lines, last]), is_cut


def records_in(path: str | os.PathLike[str], lines: Iterable[bytes], first: int = 1) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records in the lines of a file, from line ``first`` on, each with its line number; blank lines hold none.

    Raises:
        FileError: naming the line that does not hold a record.
    """
    for number, line in enumerate(lines, first):
        if line.strip(BLANK):
            try:
                record = _record_in(line)
            except ValueError as error:
                raise FileError(path, f"line {number} is not a game record: {error}") from None
            yield number, record


def _is_json(content: bytes) -> bool:
    try:
        parsed_json(content)
    except ValueError:
        return False
    return True


def _record_in(line: bytes) -> dict[str, Any]:
    """The record in a line; one of an earlier version is converted.

    Raises:
        ValueError: if it is not JSON, or a `RecordError`.
    """
    record: dict[str, Any] = _in_this_form(parsed_json(line))
    _check_form(record)
    return record
