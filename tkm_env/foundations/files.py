"""Read files, and write them atomically: JSON, pages, pictures.

A file is replaced as a whole or not at all, even if the program is killed, the disk is full, or
there is a second writer. All failures are `FileError`s. Files that grow line by line are in
`tkm_env.foundations.line_file`.
"""

import errno
import json
import os
import re
import secrets
import shutil
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Final

from tkm_env.foundations.errors import ConfigError, FileError, NewerVersionError, TKMError, repr_of

#: The first descriptor after those of the standard streams.
_FIRST_OF_OTHERS: Final = 3
#: The version of every kind of JSON file that `write_json` writes.
_VERSION: Final = 1
#: Whitespace in JSON, and so in JSON Lines; Python counts more characters as such.
BLANK: Final = b" \t\r\n"
#: What is written and removed again to test for free space: longer than most games' records.
PROBE: Final = b"\n" * 65_536


def open_standard_descriptors() -> None:
    """Open the null device for standard input, output and error where these are closed.

    Otherwise a file or a pipe opened later would take the number: what is printed would go there,
    and no child process could inherit it.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < _FIRST_OF_OTHERS:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def checked_path(given: object) -> Path:
    """Return the path that was given.

    Raises:
        FileError: if no file can have that name.
    """
    try:
        path = os.fsdecode(given)  # type: ignore[arg-type]
        if path and b"\0" not in os.fsencode(path):
            return Path(path)
    except (TypeError, UnicodeError):
        pass
    raise FileError(repr_of(given), "no file can have this name")


@contextmanager
def failing_as(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Turn the system's errors into a `FileError`.

    Args:
        path: the file.
        what: what cannot be done with it, such as "read".

    Returns:
        A context manager.

    Raises:
        FileError: if the system raises an error; it says that the file cannot be ``what``.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        folder = os.path.dirname(os.path.realpath(os.fsdecode(path)))
        if isinstance(error, FileNotFoundError) and not os.path.isdir(folder):
            reason = f"there is no folder {repr_of(folder)}"
        raise FileError(path, f"it cannot be {what}: {reason}") from error


def split_python_file(text: str) -> tuple[str, str] | None:
    """Split ``FILE.py:REST`` or ``FILE.py`` into the path and the rest; None without a path.

    The path ends with the first ``.py`` before a colon or the end for which there is a file; if
    there is none, with the first such ``.py``.

    >>> split_python_file("a:b.py:Bot"), split_python_file("greedy")
    (('a:b.py', 'Bot'), None)
    """
    ends = [found.end() for found in re.finditer(r"\.py(?=:|$)", text)]
    end = next((end for end in ends if os.path.isfile(text[:end])), next(iter(ends), None))
    return None if end is None else (text[:end], text[end + 1 :])


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file.

    Raises:
        FileError: if it cannot be read.
    """
    source = checked_path(path)
    with failing_as(path, "read"):
        return source.read_bytes()


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, or replace it, as a whole or not at all, as `replacing` does.

    Args:
        path: the file.
        content: all of its bytes.

    Raises:
        FileError: if it cannot be written; an existing file is then unchanged.
    """
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: str | os.PathLike[str], mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a new file that replaces ``path`` in one step when the context ends.

    A link stays, and its target is replaced. The file keeps its permissions and, where the system
    allows it, its owner. The new content is first written next to it, under a unique name. Devices
    and pipes are written to directly.

    Args:
        path: the file to write or to replace.
        mode: the permissions of a new file, before the process's umask.

    Returns:
        A context manager for a binary file to write to.

    Raises:
        FileError: if it cannot be written; an existing file is then unchanged.
    """
    given = checked_path(path)
    with failing_as(path, "written"):
        target = _replaceable(given)
        if target is None:
            with given.open("wb") as file:
                yield file
            return
        with _beside(target, mode) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else the name could survive a power cut without the content
            file.close()  # Windows cannot rename an open file
            os.replace(file.name, target)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that `write_file` can write a small file there, before long work begins.

    Raises:
        FileError: if it cannot.
    """
    given = checked_path(path)
    with failing_as(path, "written"):
        target = _replaceable(given)
        if target is not None:
            with _beside(target) as file:
                file.write(PROBE)
                file.flush()


def _replaceable(path: Path) -> Path | None:
    """The file to replace or create; None for devices and pipes, which are written directly."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:  # a new file, possibly through a link
        return Path(os.path.realpath(path))
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        return None
    # Fails for a read-only file, which could otherwise be replaced.
    os.close(os.open(path, os.O_WRONLY))
    return Path(os.path.realpath(path))


@contextmanager
def _beside(target: Path, new_mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a new file in the folder of ``target``, with its permissions.

    It is removed afterwards unless it was renamed.
    """
    beside = target.with_name(f".{secrets.token_hex(8)}.tmp")
    old = target.stat() if target.exists() else None
    # Until it has the old file's permissions, only its owner may read it.
    mode = new_mode if old is None else 0o600
    try:
        with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            if old is not None:
                if hasattr(os, "chown"):
                    with suppress(PermissionError):
                        os.chown(beside, old.st_uid, old.st_gid)
                shutil.copystat(target, beside)
            yield file
    finally:
        beside.unlink(missing_ok=True)


def write_json(path: str | os.PathLike[str], kind: str, content: Mapping[str, Any]) -> None:
    """Write a JSON file with its kind and version, as `write_file` does.

    Args:
        path: the file.
        kind: the kind of file, for its key "kind".
        content: its other keys.

    Raises:
        FileError: if it cannot be written; an existing file is then unchanged.
    """
    write_file(path, json_text(kind, content).encode("utf-8"))


def json_text(kind: str, content: Mapping[str, Any]) -> str:
    """Return what `write_json` writes.

    Args:
        kind: the kind of file, for its key "kind".
        content: its other keys.

    Returns:
        JSON, with a line feed at its end.
    """
    return (
        json.dumps({"kind": kind, "version": _VERSION, **content}, indent=1, allow_nan=False) + "\n"
    )


def packaged_text(package: str, name: str) -> str:
    """Read a text file from the folder of a package.

    Args:
        package: the package's name.
        name: the file's name.

    Returns:
        The file's content.
    """
    return (files(package) / name).read_text("utf-8")


def packaged_json(package: str, name: str) -> Any:
    """Read a JSON file from the folder of a package.

    Args:
        package: the package's name.
        name: the file's name.

    Returns:
        The parsed content.
    """
    return json.loads(packaged_text(package, name))


@contextmanager
def content_of(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors about the content of a file into a `FileError` that names it."""
    try:
        yield
    except NewerVersionError:
        raise  # says which form of which file it is
    except TKMError as error:
        raise FileError(path, str(error)) from error


def read_json(
    path: str | os.PathLike[str],
    kind: str,
    keys: tuple[str, ...],
    added: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Read a JSON file that `write_json` wrote.

    Args:
        path: the file.
        kind: the kind that it must have, in its key "kind".
        keys: its other keys.
        added: those of them that earlier programs did not write, with what they meant by that.

    Returns:
        The values of these keys.

    Raises:
        FileError: if it cannot be read, is not such a file, or a key is missing, unknown or
            repeated.
    """
    try:
        content = parsed_json(read_file(path))
    except FileError:
        raise
    except ValueError as error:
        raise FileError(path, str(error)) from None
    if not isinstance(content, dict) or content.get("kind") != kind:
        raise FileError(path, f"it is not a file of the kind {kind!r}")
    check_version(path, kind, content.get("version"), _VERSION)
    found = {key: value for key, value in content.items() if key not in ("kind", "version")}
    found = {**(added or {}), **found}
    with content_of(path):
        check_keys("content", found, keys)
    return found


def check_version(path: object, form: str, found: object, known: int) -> None:
    """Check the version of a stored form, before anything else in it is read.

    Args:
        path: the file, for errors.
        form: the name of the form.
        found: its version, as it was found.
        known: the version that is read here.

    Raises:
        NewerVersionError: if it is a later one.
        FileError: if it is any other.
    """
    refuse_newer(path, form, found, known)
    if type(found) is not int or found != known:
        raise FileError(path, f"version {repr_of(found)} is not {known}, the only version")


def refuse_newer(path: object, form: str, found: object, known: int) -> None:
    """Refuse a stored form of a later version, and only that.

    Args:
        path: the file, for errors.
        form: the name of the form.
        found: its version, as it was found.
        known: the latest version that is read here.

    Raises:
        NewerVersionError: if it is a later one.
    """
    if type(found) is int and found > known:
        raise NewerVersionError(path, form, found, known)


def check_keys(name: str, content: object, keys: Iterable[str]) -> None:
    """Check that something is a JSON object with certain keys.

    Args:
        name: what errors call it.
        content: what must be an object.
        keys: the keys that it must have, and no others.

    Raises:
        ConfigError: naming the first key that is missing or unknown.
    """
    wanted = list(keys)
    if not isinstance(content, dict):
        raise ConfigError(name, content, f"it must be an object with the keys {', '.join(wanted)}")
    if set(content) != set(wanted):
        missing = [key for key in wanted if key not in content]
        unknown = [key for key in content if key not in wanted]
        wrong = f"{missing[0]} is missing" if missing else f"there is no {repr_of(unknown[0])}"
        raise ConfigError(name, content, f"its keys must be {', '.join(wanted)}; {wrong}")


def parsed_json(content: bytes) -> Any:
    """Parse JSON in UTF-8 strictly.

    Repeated keys, NaN, infinities, lone surrogates and byte-order marks are refused.

    Raises:
        ValueError: saying in a few words why it is not JSON.
    """
    try:
        text = content.decode("utf-8")
        if text.startswith("\ufeff"):
            raise ValueError("it begins with a byte-order mark; save it as UTF-8 without one")
        value = json.loads(text, object_pairs_hook=_object_from, parse_constant=_refuse_constant)
        if "\\ud" in text.lower():  # an escape that may be half of a pair
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"byte {error.start + 1} is not UTF-8"
    except UnicodeEncodeError as error:
        reason = f"{error.object[error.start]!r} is half of a character"
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        reason = f"{error.msg} at {line}column {error.colno}"
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError as error:
        reason = str(error)
    else:
        return value
    raise ValueError(f"it is not JSON: {reason}")


def _object_from(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object; for repeated keys, the json module would silently keep the last."""
    content = dict(pairs)
    if len(content) < len(pairs):
        counted = Counter(key for key, _ in pairs)
        repeated = next(key for key, times in counted.items() if times > 1)
        raise ValueError(f"the key {repr_of(repeated)} is repeated")
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")
