"""The tests on every Python at hand, and on the lowest versions of the dependencies that are allowed: ``nox``.

``nox -s libraries`` tries all RL libraries and writes ``docs/libraries.md`` anew.
"""

from __future__ import annotations

from typing import Any

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["tests", "lowest"]

_LIBRARIES = nox.project.load_toml("docs/libraries.toml")["library"]
_PYTHONS = ["3.10", "3.11", "3.12", "3.13"]


@nox.session(python=_PYTHONS)
def tests(session: nox.Session) -> None:
    """The newest versions; arguments after -- go to pytest, by default the fast subset."""
    session.install("--editable", ".[dev]")
    session.run("python", "-m", "pytest", "--numprocesses", "2", *(session.posargs or ["-m", "not slow"]))


@nox.session(python="3.10")
def lowest(session: nox.Session) -> None:
    """The lowest versions of what the core and ratings depend on, with the fast subset."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    dependencies = [*project["dependencies"], *project["optional-dependencies"]["arena"]]
    pinned = [dependency.replace(">=", "==") for dependency in dependencies if ">=" in dependency]
    session.install("--editable", ".[dev]", *pinned)
    session.run("python", "-m", "pytest", "--numprocesses", "2", *(session.posargs or ["-m", "not slow"]))


@nox.session
@nox.parametrize("library", [nox.param(row, id=row["name"]) for row in _LIBRARIES])
def libraries(session: nox.Session, library: dict[str, Any]) -> None:
    """An RL library: its tests and its example, for the page of all of them."""
    if "torch" in library:
        session.install(f"torch=={library['torch']}")  # first, so that no other choice is made for it
    extras = ["dev", *([library["extra"]] if "extra" in library else [])]
    session.install("--editable", f".[{','.join(extras)}]")
    session.run("python", "benchmarks/libraries.py", library["name"])
    session.run("python", "docs/generate.py")
