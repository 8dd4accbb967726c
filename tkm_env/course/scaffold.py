"""Writing a new assignment: the students' files, the staff's files, and tests for both."""

import json
import os
import shlex
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.core.registry import GameSpec, default_game
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.core.settings import changed_settings
from tkm_env.course.assignment import parse_assignment
from tkm_env.course.materials import teaching_material
from tkm_env.course.submission import AGENT, STUDENT
from tkm_env.foundations.archives import PROGRAM
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import checked_path, failing_as, write_file
from tkm_env.foundations.seeds import checked_secret
from tkm_env.foundations.toml_file import parse_toml
from tkm_env.foundations.untrusted_text import toml_of
from tkm_env.players.command_agent import package_command
from tkm_env.players.roster import ROSTERS
from tkm_env.players.solvers import SOLVERS
from tkm_env.render.html import templates

#: The available assignments, in the order of a course, with their titles.
ASSIGNMENTS: Final = {
    "search": "Looking ahead",
    "chance": "Taking chances",
    "learning": "Learning to play",
}
#: What students write in.
LANGUAGES: Final = {"python": AGENT, "program": PROGRAM}
_PLAYERS: Final = {
    "python": f"{STUDENT}/{AGENT}:Bot",
    "program": f"cmd:{STUDENT}/{PROGRAM}",
    "learning": f"net:file={STUDENT}/value.npz",
}
#: The other folders of an assignment, and the name of the file in each that says what is graded.
PUBLIC, STAFF, SPEC = "public_tests", "staff", "grading.toml"
_SOLUTION: Final = f"{STAFF}/solution"
#: The folder of what students of each level hand in, all of it in Python.
_LEVELS: Final = f"{STAFF}/levels/"

#: The extras of the package that students need, and the suffixes of archives that pip installs.
_EXTRAS: Final = "arena,play"
_PACKAGE: Final = f"tkm_env[{_EXTRAS}]"
_ARCHIVES: Final = (".whl", ".tar.gz", ".zip")
_TEMPLATES: Final = files("tkm_env.course") / "templates"
_PICTURE_SIZE: Final = 700
#: The source of a notebook, in cells, and the notebook made from it.
_CELLS, _NOTEBOOK = f"{STUDENT}/start.py", f"{STUDENT}/start.ipynb"


def write_assignment(
    folder: str | os.PathLike[str],
    spec: GameSpec,
    config: Any,
    *,
    assignment: str = "search",
    language: str = "python",
    title: str | None = None,
    seed: int | None = None,
    public_seed: int | None = None,
    package: str | None = None,
) -> list[Path]:
    """Write an assignment into a folder.

    Args:
        folder: the folder, which is created if necessary, and must be empty.
        spec: the game's row in the registry.
        config: the settings of the game.
        assignment: a key of `ASSIGNMENTS`.
        language: a key of `LANGUAGES`.
        title: the title that people read; None for the usual one.
        seed: the seed of the tests that count, which only the staff knows; None draws one from
            the system.
        public_seed: the seed of the public tests, which must be different; None draws one from
            the system.
        package: what students install: a name on an index, an address, or the name of an archive
            that they get; None for a clone of the repository.

    Returns:
        The paths of the files written.

    Raises:
        ConfigError: naming the argument that is invalid.
        FileError: if the folder is not empty, or cannot be written.
        MissingExtraError: without the extra ``[arena]``.
    """
    for keyword, value, known in (
        ("assignment", assignment, ASSIGNMENTS),
        ("language", language, LANGUAGES),
    ):
        if value not in known:
            raise ConfigError(keyword, value, f"it must be {' or '.join(map(repr, known))}")
    material = teaching_material(spec)
    if assignment != "search" and language != "python":
        raise ConfigError(
            "language", language, "it must be 'python', since the grader calls Python functions"
        )
    seed, public_seed = checked_secret(seed), checked_secret(public_seed)
    if seed == public_seed:
        raise ConfigError(
            "public_seed", public_seed, "students know it: the tests that count need another seed"
        )
    target = checked_path(folder)
    with failing_as(folder, "written"):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise FileError(folder, "it already exists: choose a new folder")
    settings = changed_settings(config)
    rules = [
        _Illustrated(
            section,
            [f"{section.name}-{number}.svg" for number in range(1, 1 + len(section.examples))],
        )
        for section in spec.rules_for(config)
    ]
    values = {
        "assignment": assignment,
        "language": language,
        "package": package,
        "requirement": f"{_PACKAGE} @ {package}"
        if package and "://" in package
        else f"{package}[{_EXTRAS}]",
        "is_archive": package is not None and "://" not in package and package.endswith(_ARCHIVES),
        "title": title or f"{ASSIGNMENTS[assignment]}: {spec.title}",
        "spec": spec,
        "anchors": ROSTERS.of(spec).ladder[:2],
        "can_analyse": SOLVERS.of(spec).analyse is not None,
        "material": material,
        "hides": spec.game_class.hides(),
        "settings": settings,
        "flags": _format_flags(spec, settings),
        "keywords": [f"{name}={value!r}" for name, value in settings.items()],
        "variant": spec.settings[0] if spec.settings else None,
        "edited": LANGUAGES[language],
        "player": _PLAYERS["learning" if assignment == "learning" else language],
        "rules": rules,
        "notation": material.notation(config),
        "start": spec.game_class(config, seed=0),
        "seeds": {PUBLIC: public_seed, STAFF: seed},
    }
    written = _render(assignment, language, values)
    for part in rules:
        for name, example in zip(part.pictures, part.section.examples, strict=True):
            written[f"{STUDENT}/pictures/{name}"] = (
                example.played(spec.game_class).svg(size=_PICTURE_SIZE) + "\n"
            )
    paths = []
    for name, text in sorted(written.items()):
        path = target / name
        with failing_as(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text.encode("utf-8"))
        if path.name == PROGRAM:
            path.chmod(0o755)
        paths.append(path)
    return paths


def _render(assignment: str, language: str, values: dict[str, Any]) -> dict[str, str]:
    """Render the text files of an assignment, by path in its folder."""
    # The files are Markdown, TOML and Python, in which nothing is escaped.
    environment = templates(
        "tkm_env.course", "templates", keep_trailing_newline=True, autoescape=False, finalize=None
    )
    environment.filters["toml"] = toml_of
    names = {}
    for name in environment.list_templates(extensions=["jinja"]):
        kind, _, inner = name.partition("/")
        if kind in ("common", assignment):
            names[inner.removesuffix(".jinja")] = name
    # Assignments come first, since the other templates quote their questions.
    specs = {
        inner: environment.get_template(names.pop(inner)).render(values)
        for inner in (f"{PUBLIC}/{SPEC}", f"{STAFF}/{SPEC}")
    }
    graded = parse_assignment(parse_toml(specs[f"{STAFF}/{SPEC}"].encode(), SPEC))
    values = {
        **values,
        "questions": graded.questions,
        "points": graded.points,
        "turn_seconds": graded.conditions.turn_seconds,
    }
    texts = specs | {
        inner: environment.get_template(name).render(values) for inner, name in names.items()
    }
    notebook = _notebook(texts.pop(_CELLS))
    if language == "python":
        texts[_NOTEBOOK] = notebook
    else:
        del texts[f"{STUDENT}/{AGENT}"]
        texts[f"{STUDENT}/{PROGRAM}"] = (_TEMPLATES / "program" / PROGRAM).read_text("utf-8")
        texts[f"{STUDENT}/actions.txt"] = "".join(
            f"{name}\n" for name in values["spec"].game_class.action_names
        )
        texts = {name: text for name, text in texts.items() if not name.startswith(_LEVELS)}
        texts[f"{_SOLUTION}/solution.py"] = texts.pop(f"{_SOLUTION}/{AGENT}")
        runner = shlex.join(package_command("tkm_env.course.python_runner"))
        texts[f"{_SOLUTION}/{PROGRAM}"] = (
            f'#!/bin/sh\nexec {runner} "$(dirname "$0")/solution.py"\n'
        )
    return texts


def _notebook(source: str) -> str:
    """Convert a program to a notebook, in version 4.5 of the format.

    Args:
        source: the program. Each code cell begins with ``# %%``, each text cell, in comments, with
            ``# %% [markdown]``.

    Returns:
        The notebook, in JSON.
    """
    cells = []
    for index, part in enumerate(source.split("# %%")[1:]):
        head, _, body = part.partition("\n")
        lines = body.strip().splitlines()
        kind: dict[str, Any]
        if head.strip() == "[markdown]":
            kind = {"cell_type": "markdown"}
            lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
        else:
            kind = {"cell_type": "code", "outputs": [], "execution_count": None}
        cells.append({**kind, "id": f"cell-{index}", "metadata": {}, "source": "\n".join(lines)})
    notebook = {
        "cells": cells,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1) + "\n"


def _format_flags(spec: GameSpec, settings: Mapping[str, Any]) -> str:
    """Format the settings as options of the commands."""
    kinds = {setting.keyword: setting.kind for setting in spec.settings}
    words = [] if spec.name == default_game() else ["--game", spec.name]
    for name, value in settings.items():
        text = (
            ("," if kinds[name] == "pair" else "+").join(map(str, value))
            if isinstance(value, list)
            else str(value)
        )
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [text])
    return "".join(f" {word}" for word in map(shlex.quote, words))


class _Illustrated(NamedTuple):
    """A part of the rules, and the file name of the picture of each of its examples."""

    section: RulesSection
    pictures: list[str]
