"""TOML files and their tables, with checks whose errors name the key."""

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import check_version, read_file

#: The version of every form of TOML file.
_VERSION: Final = 1


def read_toml(path: str | os.PathLike[str], form: str) -> dict[str, Any]:
    """Read a TOML file of a form.

    People write these files, so the key ``version`` may be left out, which means 1.

    Args:
        path: the file.
        form: the name of its form.

    Returns:
        The content, without the key ``version``.

    Raises:
        NewerVersionError: if it is of a later version of the form.
        FileError: if it cannot be read, is not TOML, or is of no version of the form.
    """
    content = parse_toml(read_file(path), path)
    check_version(path, form, content.pop("version", _VERSION), _VERSION)
    return content


def parse_toml(text: bytes, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Parse TOML.

    Args:
        text: the TOML, in UTF-8.
        path: the file that errors name.

    Returns:
        The content.

    Raises:
        FileError: naming the path, if it is not TOML.
    """
    try:
        content: dict[str, Any] = tomllib.loads(text.decode("utf-8"))
    except ValueError as error:  # including text that is not UTF-8
        raise FileError(path, f"it is not TOML: {error}") from None
    except RecursionError:
        raise FileError(path, "it is nested too deeply") from None
    return content


def check_table(name: str, table: object, known: Iterable[str] | None) -> None:
    """Check that a value is a table with known keys.

    Args:
        name: the name of the table; empty for the entire file.
        table: the value.
        known: the allowed keys; None for any.

    Raises:
        ConfigError: naming the unknown key, or the table if it is not one.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(name, table, "it must be a table")
    valid = [*table] if known is None else [*known]
    for key in table:
        if key not in valid:
            where = f"[{name}]" if name else "the file"
            raise ConfigError(
                key, table[key], f"there is no such key in {where}; valid keys: {', '.join(valid)}"
            )


def tables_in(
    content: Mapping[str, Any], name: str, default: Sequence[Any], known: Iterable[str] | None
) -> list[Mapping[str, Any]]:
    """Return a list of tables within a table.

    Args:
        content: the table that holds the list.
        name: the key of the list.
        default: the list if the key is missing.
        known: the allowed keys of each table; None for any.

    Returns:
        The tables.

    Raises:
        ConfigError: if the value is not a list of tables, or one has an unknown key.
    """
    tables = content.get(name, default)
    if not isinstance(tables, Sequence) or isinstance(tables, str):
        raise ConfigError(name, tables, f"it must be a list of tables, [[{name}]] each")
    for table in tables:
        check_table(name, table, known)
    return [*tables]


def checked_text(key: str, value: object) -> str:
    """Check that a value is a string.

    Args:
        key: the key of the value, for errors.
        value: the value.

    Returns:
        The value.

    Raises:
        ConfigError: naming the key.
    """
    if not isinstance(value, str):
        raise ConfigError(key, value, "it must be a string")
    return value


def parsed_anchor(value: object) -> tuple[str, float]:
    """Parse the value of a key ``anchor``, such as ``"greedy=1000"``: a player and its rating."""
    name, given, elo = checked_text("anchor", value).rpartition("=")
    try:
        return name, float(elo if given else "")
    except ValueError:
        raise ConfigError(
            "anchor", value, "it must be a player's name, an equals sign and a number"
        ) from None


def listed_texts(key: str, values: object) -> list[str]:
    """Check that a value is a list of strings.

    Args:
        key: the key of the value, for errors.
        values: the value.

    Returns:
        The strings.

    Raises:
        ConfigError: naming the key.
    """
    if not isinstance(values, (list, tuple)):
        raise ConfigError(key, values, "it must be a list of strings")
    return [checked_text(key, value) for value in values]
