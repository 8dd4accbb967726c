"""The fixed positions of the benchmark's task `turns`, in which every turn has a value."""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from tkm_env.questions.valued_position import ValuedPosition

#: The version of the positions, which is part of their file's name.
VERSION: Final = 1
_FILE: Final = Path(__file__).with_name(f"turns-{VERSION}.jsonl.gz")


@cache
def valued_positions() -> tuple[ValuedPosition, ...]:
    """The positions, in the order of their file."""
    rows = [json.loads(line) for line in gzip.decompress(_FILE.read_bytes()).splitlines()]
    return tuple(map(ValuedPosition.from_row, rows))


@cache
def positions_digest() -> str:
    """The SHA-256 of the positions and their values, in hexadecimal digits."""
    return hashlib.sha256(gzip.decompress(_FILE.read_bytes())).hexdigest()


def write_valued_positions(rows: list[dict[str, Any]], path: Path = _FILE) -> None:
    """Write positions to a file; the same rows always give the same bytes.

    Args:
        rows: the positions, as `ValuedPosition.row` returns them.
        path: the file.
    """
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content, mtime=0))
