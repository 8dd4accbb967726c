"""Reading and writing the package's JSON files.

A file is written under a temporary name in the same folder and then renamed, so that a killed program leaves the old one intact.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tkm_env.errors import FileError

__all__ = ["content_of", "cut_unfinished_line", "read_json", "write_json"]


def write_json(path: str | os.PathLike[str], kind: str, content: dict[str, Any]) -> None:
    """Write ``content`` with its kind and format version."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    beside.write_text(json.dumps({"kind": kind, "version": 1} | content, indent=1) + "\n", "utf-8")
    beside.replace(target)


@contextmanager
def content_of(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors about invalid content into a `FileError` for that file."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FileError(path, f"invalid content: {error}") from error


def read_json(path: str | os.PathLike[str], kind: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """The content of a file of that kind.

    Raises:
        FileError: if it is not such a file, or a key is missing, unknown or repeated.
    """
    try:
        content = json.loads(Path(path).read_text("utf-8"), object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise FileError(path, f"it is not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("kind") != kind:
        raise FileError(path, f"it is not a file of the kind {kind!r}")
    if content.get("version") != 1:
        raise FileError(path, f"version {content.get('version')!r} is not 1, the only version")
    found = {key: value for key, value in content.items() if key not in ("kind", "version")}
    if set(found) != set(keys):
        raise FileError(path, f"its keys must be {', '.join(keys)}, not {', '.join(found)}")
    return found


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; for repeated keys, the json module would silently keep the last."""
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is repeated")
    return content


def cut_unfinished_line(path: str | os.PathLike[str]) -> None:
    """Remove the last line of a JSON Lines file if it is incomplete because the writer was killed."""
    content = Path(path).read_bytes()
    if content and not content.endswith(b"\n"):
        with Path(path).open("r+b") as file:
            file.truncate(content.rfind(b"\n") + 1)
