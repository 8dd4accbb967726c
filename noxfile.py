"""What CI runs: style, the tests on every Python at hand with the newest and the lowest dependencies, and the archives: ``nox``.

``nox -s libraries`` tries all RL libraries and writes ``docs/libraries.md`` again.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["style", "tests", "lowest", "package"]

_LIBRARIES = nox.project.load_toml("docs/libraries.toml")["library"]
_PYTHONS = ["3.10", "3.11", "3.12", "3.13"]


@nox.session(python=_PYTHONS)
def tests(session: nox.Session) -> None:
    """The newest versions; arguments after -- go to pytest; the quick tests unless they say otherwise."""
    session.install("--editable", ".[dev]")
    session.run("python", "-m", "pytest", "--numprocesses", "2", *session.posargs)


@nox.session(python=_PYTHONS)
def lowest(session: nox.Session) -> None:
    """The lowest versions of what the core, commands and ratings depend on, where this Python has wheels of them; the fast subset."""
    session.install("uv")
    pinned = f"{session.create_tmp()}/lowest.txt"
    compiled = [f"--only-binary={name}" for name in ("llvmlite", "numba", "numpy", "scipy")]
    chosen = ["--no-deps", "--extra=arena", "--resolution=lowest-direct", f"--python-version={session.python}", *compiled]
    session.run("uv", "pip", "compile", "--quiet", "pyproject.toml", *chosen, f"--output-file={pinned}")
    session.install("--editable", ".[dev]", "--requirement", pinned)
    session.run("python", "-m", "pytest", "--numprocesses", "2", *session.posargs)


@nox.session
def style(session: nox.Session) -> None:
    """Format, lints, types and import contracts."""
    session.install("--editable", ".[dev]", "pyright")
    session.run("pre-commit", "run", "--all-files")
    session.run("python", "-m", "pytest", "tests/typing")


@nox.session
def package(session: nox.Session) -> None:
    """The wheel and the source archive in ``dist/``: built, checked, and each installed and tried outside the source tree."""
    shutil.rmtree("dist", ignore_errors=True)
    session.install("build", "twine", "virtualenv")
    session.run("python", "-m", "build")
    archives = sorted(Path("dist").resolve().iterdir())
    session.run("twine", "check", "--strict", *map(str, archives))
    program = Path("examples/quickstart.py").resolve()
    for archive in archives:
        place = Path(session.create_tmp()).resolve() / archive.name
        session.run("virtualenv", "--clear", "--quiet", str(place))
        python = str(place / "bin" / "python")
        with session.chdir(place):
            session.run(python, "-m", "pip", "install", "--quiet", f"{archive}[arena]", external=True)
            session.run(python, str(program), external=True, silent=True)
            session.run(python, "-m", "tkm_env", "match", "greedy", "random", "--games", "2", external=True)


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
