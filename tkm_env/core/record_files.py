"""Files of game records, and the games that records of any registered game describe.

The format is documented in ``docs/records.md``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.core.record_schema import KIND, START, VERSION, check_form, check_keys, wrong_game
from tkm_env.core.recording import as_json, play_record
from tkm_env.core.registry import game_names, game_spec
from tkm_env.foundations.errors import FileError, NewerVersionError
from tkm_env.foundations.files import BLANK, parsed_json, read_file, refuse_newer
from tkm_env.foundations.line_file import LineFile
from tkm_env.render.replay import Replay

#: Seconds to wait while others append to the same file.
_PATIENCE: Final = 5.0


def from_record(record: Mapping[str, Any]) -> BaseGame:
    """The game that a record describes, played again.

    Raises:
        RecordError: naming the key that is wrong, or the ply (from 1) of the first illegal action.

    >>> record = {"kind": KIND, "version": 2, "game": "tkm", "config": {}}
    >>> from_record(record | {"actions": ["choose 1"], "result": None}).position
    'W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P1 4/4 - ---/--- -/- 1'
    """
    return play_record(_game_class(record), record)


def _game_class(record: Mapping[str, Any]) -> type[BaseGame]:
    check_keys(record)
    name = record["game"]
    if not isinstance(name, str) or name not in game_names():
        raise wrong_game(game_names(), name)
    return game_spec(name).game_class


def replay_of(record: Mapping[str, Any]) -> Replay:
    """The replay of the game that a record describes, whichever game it is.

    Raises:
        RecordError: if it does not describe a game.

    >>> record = {"kind": KIND, "version": 2, "game": "tkm", "config": {}}
    >>> replay_of(record | {"actions": ["choose 1"], "result": None}).result
    'unfinished'
    """
    replay = from_record(record).replay(record.get("players"))
    if "fault" not in record:
        return replay
    fault = record["fault"]
    failure = "a failed start" if fault["ply"] == START else f"a fault ({fault['kind']})"
    return replay._replace(result=f"{fault['player']} lost by {failure}: {fault['seen']}")


def write_record(path: str | os.PathLike[str], record: Mapping[str, Any]) -> None:
    """Append a record to a JSON Lines file: the whole line or, if that fails, nothing.

    Several threads and programs may append to a file at the same time.

    Args:
        path: the file, which is created if necessary.
        record: the record.

    Raises:
        RecordError: if it is not a record.
        FileError: if the file cannot be written, or ends in anything but a record.
    """
    line = line_of(record)
    with LineFile(path, _PATIENCE) as file:
        _check_end(file)
        file.append_line(line)


def check_appendable(path: str | os.PathLike[str]) -> None:
    """Check that `write_record` can append to a file, before the game to be saved begins.

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
            parse_line(line, file.path)
    except NewerVersionError:
        raise
    except ValueError as error:
        raise FileError(
            file.path, f"nothing is appended, since its last line is not a game record: {error}"
        ) from None


def line_of(record: Mapping[str, Any]) -> bytes:
    """The line of a file that holds a record. Raises a `RecordError` if it is not one."""
    game_class = _game_class(record)
    written = as_json(record)
    check_form(written, game_class)
    return json.dumps(written).encode("utf-8")


def read_records(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records in a file: a JSON Lines file, or one record over several lines.

    The games are not played; `from_record` does that.

    Yields:
        The number of each record's line, from 1, and the record.

    Raises:
        FileError: if it cannot be read, naming the line that does not hold a record.
    """
    content = read_file(path)
    yield from records_in(path, [content] if is_json(content) else content.split(b"\n"))


def records_in(
    path: str | os.PathLike[str], lines: Iterable[bytes], first: int = 1
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records in the lines of a file.

    Args:
        path: the file, for errors.
        lines: its lines; blank ones are ignored.
        first: the number of the first line.

    Yields:
        The number of each record's line, and the record.

    Raises:
        FileError: naming a line without one.
    """
    for number, line in enumerate(lines, first):
        if line.strip(BLANK):
            try:
                record = parse_line(line, path)
            except NewerVersionError:
                raise
            except ValueError as error:
                raise FileError(path, f"line {number} is not a game record: {error}") from None
            yield number, record


def is_json(content: bytes) -> bool:
    """Whether bytes are JSON."""
    try:
        parsed_json(content)
    except ValueError:
        return False
    return True


def parse_line(line: bytes, path: str | os.PathLike[str]) -> dict[str, Any]:
    """The record in a line of a file.

    Args:
        line: the content of the line.
        path: the file, for errors.

    Returns:
        The record.

    Raises:
        NewerVersionError: if it is of a later version.
        ValueError: if it is not JSON, or a `RecordError`.
    """
    record: dict[str, Any] = parsed_json(line)
    if isinstance(record, dict) and record.get("kind") == KIND:
        refuse_newer(path, KIND, record.get("version"), VERSION)
    check_form(record, _game_class(record))
    return record
