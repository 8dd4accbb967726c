"""What CI runs: ``nox``.

Style, the tests on every available Python with the newest and the lowest dependencies, and what
users install. ``nox -s libraries`` tries all RL libraries and writes ``docs/libraries.md`` again,
and ``nox -s wrappers`` tries all wrappers.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["style", "tests", "lowest", "package", "installed", "installed_lowest"]

_LIBRARIES = nox.project.load_toml("docs/libraries.toml")["library"]
_PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
#: The wheel and the source archive, once they are built.
_ARCHIVES: list[Path] = []


@nox.session(python=_PYTHONS)
def tests(session: nox.Session) -> None:
    """The newest versions: the quick tests, or what the arguments after -- ask pytest for."""
    session.install("--editable", ".[dev]")
    session.run("python", "-m", "pytest", "--numprocesses", "2", *session.posargs)


def _lowest(session: nox.Session) -> str:
    """A file that pins the lowest versions of what the core, commands and ratings depend on.

    Of compiled libraries, these are the lowest with wheels for this Python.
    """
    session.install("uv")
    pinned = f"{session.create_tmp()}/lowest.txt"
    compiled = [f"--only-binary={name}" for name in ("llvmlite", "numba", "numpy", "scipy")]
    extras = ["--extra=arena", "--extra=play"]
    chosen = [
        "--no-deps",
        *extras,
        "--resolution=lowest-direct",
        f"--python-version={session.python}",
        *compiled,
    ]
    session.run(
        "uv", "pip", "compile", "--quiet", "pyproject.toml", *chosen, f"--output-file={pinned}"
    )
    return pinned


@nox.session(python=_PYTHONS)
def lowest(session: nox.Session) -> None:
    """The lowest versions of the dependencies; the quick tests."""
    session.install("--editable", ".[dev]", "--requirement", _lowest(session))
    session.run("python", "-m", "pytest", "--numprocesses", "2", *session.posargs)


def _archives(session: nox.Session) -> list[Path]:
    """The wheel and the source archive in ``dist/``, built once in a run."""
    if not _ARCHIVES:
        shutil.rmtree("dist", ignore_errors=True)
        session.install("build")
        session.run("python", "-m", "build", silent=True)
        _ARCHIVES.extend(sorted(Path("dist").resolve().iterdir()))
    return _ARCHIVES


def _wheel(session: nox.Session) -> Path:
    """The wheel after --, or else one that is built now."""
    return (
        Path(session.posargs[0])
        if session.posargs
        else next(path for path in _archives(session) if path.suffix == ".whl")
    )


def _try(session: nox.Session, archive: Path, *more: str) -> None:
    """Install an archive with what README's sections need, and try it outside the source tree."""
    session.install(f"{archive}[arena,play]", *more)
    with tempfile.TemporaryDirectory() as folder:
        session.run("python", "tests/package/installed/smoke.py", "README.md", folder)


@nox.session(python=_PYTHONS)
def installed(session: nox.Session) -> None:
    """The wheel, with the newest dependencies; a wheel after -- saves building one."""
    _try(session, _wheel(session))


@nox.session(python=_PYTHONS[0])
def installed_lowest(session: nox.Session) -> None:
    """The wheel, with the lowest versions; a wheel after -- saves building one."""
    _try(session, _wheel(session), "--requirement", _lowest(session))


@nox.session
def style(session: nox.Session) -> None:
    """Format, lints, types, import contracts, dependencies, and the public surface."""
    session.install("--editable", ".[dev]", "deptry>=0.23", "pyright")
    session.run("pre-commit", "run", "--all-files")
    session.run("deptry", "tkm_env")
    session.run(
        *("python", "-m", "pytest", "-m", ""),
        *("tests/package/typing", "tests/package/test_public_surface.py"),
    )


@nox.session
def package(session: nox.Session) -> None:
    """The archives as an index checks them, the citation, and the archive as a user builds it."""
    archives = _archives(session)
    session.install("cffconvert>=2", "twine")
    session.run("twine", "check", "--strict", *map(str, archives))
    session.run("cffconvert", "--validate")
    _try(session, next(path for path in archives if path.suffix == ".gz"))


@nox.session(python=_PYTHONS)
def rehearsal(session: nox.Session) -> None:
    """A release on an index of its own: installed by name, upgraded to, and gone back from."""
    session.install("--editable", ".[dev]")
    session.run("python", "-m", "pytest", "-m", "slow", "tests/package/installed/test_rehearsal.py")


@nox.session
def sbom(session: nox.Session) -> None:
    """What comes along with the wheel, with its licences, as CycloneDX in ``dist/sbom.cdx.json``.

    A wheel after -- saves building one.
    """
    wheel, place = _wheel(session), Path(session.create_tmp(), "sbom")
    session.run("python", "-m", "venv", "--clear", str(place))
    python = str(place / "bin" / "python")
    session.run(python, "-m", "pip", "install", "--quiet", f"{wheel}[arena,play]", external=True)
    session.install("cyclonedx-bom>=7")
    session.run(
        *("cyclonedx-py", "environment", python, "--pyproject", "pyproject.toml"),
        *("--gather-license-texts", "--output-reproducible", "--validate"),
        *("--output-file", "dist/sbom.cdx.json"),
    )


@nox.session
@nox.parametrize("library", [nox.param(row, id=row["name"]) for row in _LIBRARIES])
def libraries(session: nox.Session, library: dict[str, Any]) -> None:
    """An RL library: its tests and its example, for the page of all of them."""
    if "torch" in library:
        # First, so that no other choice is made for it.
        session.install(f"torch=={library['torch']}")
    extras = ["dev", *([library["extra"]] if "extra" in library else [])]
    session.install("--editable", f".[{','.join(extras)}]", *library.get("besides", ()))
    session.run("python", "benchmarks/libraries.py", library["name"])
    session.run("python", "docs/generate.py")


@nox.session
def wrappers(session: nox.Session) -> None:
    """Every wrapper of Gymnasium, PettingZoo and SuperSuit, with all that they need."""
    needed = ["array-api-compat", "moviepy", "opencv-python-headless", "SuperSuit"]
    session.install("--editable", ".[dev,jax,train]", *needed)
    session.run("python", "-m", "pytest", "-m", "", "tests/package/libraries/test_wrappers.py")
