"""Files of game records that grow while they are read, and places of records in them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tkm_env.core.record_files import is_json, parse_line, records_in
from tkm_env.core.record_schema import KIND
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import BLANK, checked_path, failing_as


class RecordPlace(NamedTuple):
    """Where a record is in a file that only ever grows."""

    path: Path
    offset: int  # in bytes
    size: int  # in bytes

    def read(self) -> dict[str, Any]:
        """Read the record.

        Raises:
            FileError: if it cannot be read, or is no longer there.
        """
        with failing_as(self.path, "read"), self.path.open("rb") as file:
            file.seek(self.offset)
            line = file.read(self.size)
        try:
            return parse_line(line, self.path)
        except ValueError as error:
            place = f"there is no game record at byte {self.offset} any more"
            raise FileError(self.path, f"{place}: {error}") from None


class KeptRecord(NamedTuple):
    """A record that cannot be read again, since it came through a pipe."""

    record: dict[str, Any]

    def read(self) -> dict[str, Any]:
        """Return the record."""
        return self.record


class RecordLine(NamedTuple):
    """A record in a file."""

    number: int  # the number of its line, from 1
    record: dict[str, Any]
    place: RecordPlace | KeptRecord


class RecordFile:
    """A file of records that may be written to while it is read.

    It is a JSON Lines file, or one record over several lines.

    Args:
        path: the file.

    Attributes:
        path: the file.
        line: the number of the last line that was read.
        offset: the number of bytes that were read.
        is_growing: whether the last reading left out an incomplete last line.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = checked_path(path)
        self.line = 0
        self.is_growing = False
        self.offset = 0
        #: Whether there was anything but blank lines.
        self._has_begun = False
        #: Whether the last line that was read had no end yet.
        self._is_open = False

    def read(self) -> Iterator[RecordLine]:
        """Read the records that follow those of earlier readings.

        Yields:
            The records in order; blank lines are ignored.

        Raises:
            FileError: if the file cannot be read, naming the line that does not hold a record.
        """
        self.is_growing = False
        with failing_as(self.path, "read"), self.path.open("rb") as file:
            can_seek = file.seekable()
            if self.offset:
                file.seek(self.offset)
            for line in file:
                content = line
                if not self._has_begun and line.strip(BLANK):
                    self._has_begun = True
                    if not is_json(line):
                        whole = line + file.read()
                        content = whole if is_json(whole) else line
                if content is line and not line.endswith(b"\n") and _is_cut(line):
                    self.is_growing = True
                    self._has_begun = self.offset > 0
                    return
                yield from self._record(content, can_seek=can_seek)

    def _record(self, content: bytes, *, can_seek: bool) -> Iterator[RecordLine]:
        """Yield the record in the content of a line, unless that is blank."""
        self.line += not self._is_open
        place = RecordPlace(self.path, self.offset, len(content))
        self.offset += len(content)
        self._is_open = not content.endswith(b"\n")
        for number, record in records_in(self.path, [content], self.line):
            yield RecordLine(number, record, place if can_seek else KeptRecord(record))


def _is_cut(line: bytes) -> bool:
    """Whether a line without an end is the beginning of a record."""
    known = json.dumps({"kind": KIND}).encode("utf-8")[:-1]
    return not is_json(line) and (line.startswith(known) or known.startswith(line))
