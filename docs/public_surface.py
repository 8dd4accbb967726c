"""What other programs rely on, one line for each: ``python docs/public_surface.py``.

It writes ``docs/public_surface.txt``, where lines of what may change in any minor version begin
with *experimental*. With ``--check`` it writes nothing and shows the lines that
differ, so that no name, option, index or version changes unnoticed; the exit status is then 1.
``--against v1.0.0`` shows what that release promised and the package no longer does: what is gone,
has changed or is experimental now, of all that was not. ``docs/stability.md`` says what may change
in which release.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import hashlib
import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import griffe
import gymnasium
from api_page import MODULES, Module
from gymnasium.envs.registration import load_env_creator
from pettingzoo.env_registry.registration import aec_registry

from tkm_env import ACTIONS, PLANES, TERMINUS_FEATURES, Game, TerminusGame
from tkm_env.arena.league.openapi import PATHS
from tkm_env.cli.root_command import tkm
from tkm_env.core.registry import registered_games
from tkm_env.isolation.bot_protocol import VERSION as PROTOCOL_VERSION
from tkm_env.isolation.bot_protocol import Begin, End, Go, Hello, Info, Play, Quit
from tkm_env.players.roster import ROSTERS
from tkm_env.text import TextOptions, digest

DOCS = Path(__file__).parent
SURFACE = DOCS / "public_surface.txt"
#: What agents are made with that the line of a player cannot give.
NO_OPTIONS = ("seed", "weights")
#: How lines of what is experimental begin.
EXPERIMENTAL = "experimental "
#: What a line is about: all of it up to the parameters or the value.
SUBJECT = re.compile(r"(?:(?! \(|: )[^(])+")


def _target(found: Any) -> Any:
    return found.final_target if found.is_alias else found


def _signature(found: Any) -> str:
    """The parameters; of settings, `_settings` says the rest."""
    for parameter in found.parameters:
        if str(parameter.default).startswith("setting("):
            parameter.default = "..."
    return str(found.signature()).removeprefix(found.name)


def _is_experimental(found: Any) -> bool:
    """Whether its docstring says so; a method without one has that of the method it overrides."""
    described = [found]
    if found.is_function and found.parent.is_class:
        described += [base[found.name] for base in found.parent.mro() if found.name in base.members]
    docstring = next((each.docstring for each in described if each.docstring), None)
    return docstring is not None and "Experimental: " in docstring.value


def _described(name: str, found: Any, mark: str = "") -> Iterator[str]:
    """A line for an object, and for each public member of a class."""
    if _is_experimental(found):
        mark = EXPERIMENTAL
    if found.is_function:
        yield f"{mark}{name}{_signature(found)}"
    elif found.is_class:
        yield f"{mark}class {name}{_signature(found) or '()'}"
        members = {**found.inherited_members, **found.members}
        for member in sorted(key for key in members if not key.startswith("_")):
            yield from _described(f"{name}.{member}", _target(members[member]), mark)
    elif found.is_module:
        yield f"module {name}"
    elif found.annotation is None:
        yield f"{mark}{name}"
    else:
        yield f"{mark}{name}: {found.annotation}"


def _names(package: Any, module: Module) -> Iterator[str]:
    """The public names of a module."""
    yield f"module {module.name}"
    inside = package
    for part in (module.home or module.name).split(".")[1:]:
        inside = _target(inside[part])
    for name in module.public:
        yield from _described(f"{module.name}.{name}", _target(inside[name]))


def _environments() -> Iterator[str]:
    """Each id, with the keywords that making it takes; OpenSpiel has the ids of PettingZoo."""
    for env_id, spec in sorted(gymnasium.registry.items()):
        if _is_made(env_id, spec):
            yield f"gymnasium.make {env_id}{_keywords(spec.entry_point, spec.kwargs)}"
            yield f"gymnasium.make_vec {env_id}{_keywords(spec.vector_entry_point, spec.kwargs)}"
    for env_id, row in sorted(aec_registry.items()):
        if _is_made(env_id, row):
            yield f"pettingzoo {env_id}"


def _is_made(env_id: str, spec: Any) -> bool:
    """Whether an id is one of the package, and no hint at the id of another library."""
    return env_id.startswith("tkm_env/") and "refuse_id" not in str(spec.entry_point)


def _keywords(entry_point: Any, given: Mapping[str, Any]) -> inspect.Signature:
    """What an entry point takes besides what is given."""
    parameters = inspect.signature(load_env_creator(entry_point)).parameters.values()
    asked = [row.replace(annotation=row.empty) for row in parameters if row.name not in given]
    return inspect.Signature(asked)


def _settings() -> Iterator[str]:
    """The settings of each game, with their defaults and what may be chosen."""
    for name, spec in registered_games().items():
        for setting in spec.settings:
            default = getattr(spec.game_class.default_config, setting.keyword)
            allowed = "|".join(setting.choices)
            yield f"{name} {setting.keyword}: {default!r} {allowed}".rstrip()


def _players() -> Iterator[str]:
    """The players of each game by name, with their options."""
    for name in registered_games():
        for player, maker in ROSTERS.of(name).agents.items():
            taken = inspect.signature(maker()).parameters
            options = " ".join(row for row in taken if row not in NO_OPTIONS)
            yield f"{name} {player}: {options}".rstrip(": ")


def _options(command: click.Command, words: str) -> Iterator[str]:
    """A line for the arguments of each command, and for each option."""
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _options(inner, f"{words} {name}")
        return
    parameters = [row for row in command.get_params(context) if "--help" not in row.opts]
    arguments = [row.make_metavar(context) for row in parameters if isinstance(row, click.Argument)]
    yield f"{words}: {' '.join(arguments)}".rstrip()
    for row in parameters:
        if isinstance(row, click.Option):
            value = "" if row.is_flag else row.make_metavar(context)
            yield f"{words} {'/'.join([*row.opts, *row.secondary_opts])}: {value}".rstrip(": ")


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
        "Environments": [*_environments()],
        "Settings": [*_settings()],
        "Players": [*_players()],
        "Commands": [*_options(tkm, "tkm")],
        "Interfaces": [*_interfaces()],
        "Entry points": [*_entry_points()],
        "Indices": [*_indices()],
        "Formats": [*_formats()],
    }
    return "\n".join(f"# {title}\n\n" + "\n".join(lines) + "\n" for title, lines in parts.items())


def broken(before: str, now: str) -> Iterator[str]:
    """What one description promises and a later one does not.

    Args:
        before: the earlier description.
        now: the later one.

    Yields:
        Each line that is gone, and each that has changed, but for what was experimental. A
        parameter more, which a call need not give, is no change.
    """
    later = {_subject(line): line for line in now.splitlines()}
    for line in before.splitlines():
        if line.startswith(EXPERIMENTAL):
            continue
        found = later.get(_subject(line))
        if found is None:
            is_experimental = EXPERIMENTAL + _subject(line) in later
            yield f"{'experimental now' if is_experimental else 'gone'}: {line}"
        elif found != line and not _takes_the_same_calls(line, found):
            yield f"changed: {line}\n     to: {found}"


def _subject(line: str) -> str:
    found = SUBJECT.match(line)
    return found[0] if found else line


def _takes_the_same_calls(before: str, now: str) -> bool:
    """Whether both lines are functions, and each call of the first is one of the second."""
    signatures = [line.removeprefix(_subject(line)) for line in (before, now)]
    if not all(signature.startswith("(") for signature in signatures):
        return False
    first, second = (
        griffe.visit("surface", DOCS / "surface.py", f"def called{signature}: ...")
        for signature in signatures
    )
    return not any(griffe.find_breaking_changes(first, second))


def _released(tag: str) -> str:
    """The description in a release."""
    shown = ["git", "show", f"{tag}:docs/public_surface.txt"]
    return subprocess.run(shown, cwd=DOCS, stdout=subprocess.PIPE, check=True, text=True).stdout


def main() -> int:
    """Write the description or, with ``--check``, show how the package differs from it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="show how the package differs, and write nothing"
    )
    parser.add_argument(
        "--against", metavar="TAG", help="show what that release promised, and write nothing"
    )
    given = parser.parse_args()
    now = public_surface()
    if given.against:
        changes = [*broken(_released(given.against), now)]
        print(*changes, sep="\n")
        return bool(changes)
    if not given.check:
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
