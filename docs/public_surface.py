"""What other programs rely on, one line for each: ``python docs/public_surface.py``.

It writes ``docs/public_surface.txt``. With ``--check`` it writes nothing and shows the lines that
differ, so that no name, option, index or version changes unnoticed; the exit status is then 1.
``docs/stability.md`` says what may change in which release.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import hashlib
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import griffe
from api_page import MODULES, Module

from tkm_env import ACTIONS, PLANES, TERMINUS_FEATURES, Game, TerminusGame
from tkm_env.arena.league.openapi import PATHS
from tkm_env.cli.root_command import tkm
from tkm_env.isolation.bot_protocol import VERSION as PROTOCOL_VERSION
from tkm_env.isolation.bot_protocol import Begin, End, Go, Hello, Info, Play, Quit
from tkm_env.text import TextOptions, digest

DOCS = Path(__file__).parent
SURFACE = DOCS / "public_surface.txt"


def _target(found: Any) -> Any:
    return found.final_target if found.is_alias else found


def _described(name: str, found: Any) -> Iterator[str]:
    """A line for an object, and for each public member of a class."""
    if found.is_function:
        yield f"{name}{found.signature().removeprefix(found.name)}"
    elif found.is_class:
        yield f"class {name}{found.signature().removeprefix(found.name) or '()'}"
        members = {**found.inherited_members, **found.members}
        for member in sorted(key for key in members if not key.startswith("_")):
            yield from _described(f"{name}.{member}", _target(members[member]))
    elif found.is_module:
        yield f"module {name}"
    elif found.annotation is None:
        yield name
    else:
        yield f"{name}: {found.annotation}"


def _names(package: Any, module: Module) -> Iterator[str]:
    """The public names of a module."""
    yield f"module {module.name}"
    inside = package
    for part in (module.home or module.name).split(".")[1:]:
        inside = _target(inside[part])
    for name in module.public:
        yield from _described(f"{module.name}.{name}", _target(inside[name]))


def _options(command: click.Command, words: str) -> Iterator[str]:
    """A line for each command, with its arguments and options."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _options(inner, f"{words} {name}")
        return
    taken = [
        str(parameter.human_readable_name)
        if isinstance(parameter, click.Argument)
        else "/".join([*parameter.opts, *parameter.secondary_opts])
        for parameter in command.params
    ]
    yield f"{words}: {' '.join(taken)}"


def _entry_points() -> Iterator[str]:
    """The groups of entry points, and the names that the package has in each."""
    groups = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"][
        "entry-points"
    ]
    for group in sorted(groups):
        yield f"{group}: {' '.join(sorted(groups[group]))}"


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()[:16]


def _indices() -> Iterator[str]:
    """How many actions and planes there are, with a digest of what each of them is."""
    tables = {
        "actions of tkm": ACTIONS,
        "planes of tkm": PLANES,
        "actions of terminus": TerminusGame.action_names,
        "features of terminus": TERMINUS_FEATURES,
    }
    for name, rows in tables.items():
        yield f"{name}: {len(rows)}, {_digest([*rows])}"


def _formats() -> Iterator[str]:
    """The versions of stored forms and of prompts."""
    rows = tomllib.loads((DOCS / "stored_forms.toml").read_text("utf-8"))["form"]
    for row in rows:
        yield f"{row['name']}: {row.get('version', 'without a version')}"
    for game in (Game, TerminusGame):
        yield f"prompts of {game.name}: {digest(game, TextOptions())}"


def _wordless(part: Any) -> Any:
    """A part of an OpenAPI document without its explanations, which may change."""
    if isinstance(part, dict):
        words = {"summary", "description"}
        return {key: _wordless(value) for key, value in part.items() if key not in words}
    return [*map(_wordless, part)] if isinstance(part, list) else part


def _interfaces() -> Iterator[str]:
    """A line for each line of the protocol of bots, and for each request to a league."""
    messages = (Begin, Go, End, Quit, Hello, Info, Play)
    for message in messages:
        fields = ", ".join(field.name for field in dataclasses.fields(message))
        yield f"tkm {PROTOCOL_VERSION} {message.__name__.lower()}: {fields}".rstrip(": ")
    for path, operations in PATHS.items():
        for method, operation in operations.items():
            taken = " ".join(row["name"] for row in operation.get("parameters", []))
            answers = " ".join(operation["responses"])
            yield f"{method.upper()} {path} ({taken}): {answers}, {_digest(_wordless(operation))}"


def public_surface() -> str:
    """The description, of the package as it is."""
    package = griffe.load("tkm_env", search_paths=[str(DOCS.parent)], allow_inspection=False)
    parts = {
        "Names": [line for module in MODULES for line in _names(package, module)],
        "Commands": [*_options(tkm, "tkm")],
        "Interfaces": [*_interfaces()],
        "Entry points": [*_entry_points()],
        "Indices": [*_indices()],
        "Formats": [*_formats()],
    }
    return "\n".join(f"# {title}\n\n" + "\n".join(lines) + "\n" for title, lines in parts.items())


def main() -> int:
    """Write the description or, with ``--check``, show how the package differs from it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="show how the package differs, and write nothing"
    )
    is_check = parser.parse_args().check
    now = public_surface()
    if not is_check:
        SURFACE.write_text(now, "utf-8")
        return 0
    before = SURFACE.read_text("utf-8")
    changes = [
        line
        for line in difflib.unified_diff(before.splitlines(), now.splitlines(), n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    if changes:
        print(*changes, sep="\n")
        print(
            "\nThis differs from docs/public_surface.txt. If docs/stability.md allows it in the "
            "next release, run: python docs/public_surface.py"
        )
    return bool(changes)


if __name__ == "__main__":
    sys.exit(main())
