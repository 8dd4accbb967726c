"""Write the page of `tkm play` for a host without a server of its own.

    python docs/browser/build.py PYODIDE FOLDER

``PYODIDE`` is a folder with a distribution of Pyodide (``pyodide.js`` and its other files) and its
wheel of NumPy. Put ``FOLDER`` on any static host; the package then runs in the reader's browser.
The page is the package's own, except for the module that talks to the server.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import zipfile
from importlib.metadata import distribution
from pathlib import Path

from tkm_env.foundations.errors import ConfigError
from tkm_env.play.languages import languages, page_words

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "tkm_env"
#: The distributions that the application imports, as installed here, without their compiled parts,
#: which are optional.
DISTRIBUTIONS = (
    "blinker",
    "click",
    "cloudpickle",
    "farama-notifications",
    "flask",
    "gymnasium",
    "itsdangerous",
    "jinja2",
    "lazy-loader",
    "markupsafe",
    "platformdirs",
    "pettingzoo",
    "polib",
    "typing-extensions",
    "waitress",
    "werkzeug",
)
LOCK = "pyodide-lock.json"
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", LOCK)
COMPILED = {".pyc", ".so", ".pyd"}


def check_distribution(pyodide: Path) -> str:
    """Return the name of the wheel of NumPy with which the distribution was made.

    Raises:
        ConfigError: naming the file that is missing or wrong.
    """
    missing = [name for name in CORE if not (pyodide / name).is_file()]
    if missing:
        raise ConfigError(
            "PYODIDE",
            str(pyodide),
            f"it must be a folder with a distribution of Pyodide; {', '.join(missing)} missing",
        )
    numpy = json.loads((pyodide / LOCK).read_text("utf-8"))["packages"]["numpy"]
    name, digest = str(numpy["file_name"]), numpy["sha256"]
    if not (pyodide / name).is_file():
        raise ConfigError(
            "PYODIDE",
            str(pyodide),
            f"the distribution's wheel of NumPy has to lie there as well, {name}",
        )
    found = hashlib.sha256((pyodide / name).read_bytes()).hexdigest()
    if found != digest:
        raise ConfigError(
            "PYODIDE",
            str(pyodide),
            f"{name} is another file: its SHA-256 must be {digest}, and is {found}",
        )
    return name


def write_packages(archive: Path) -> None:
    """Write the package, its dependencies and the bridge into an archive for Python's path."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in DISTRIBUTIONS:
            for file in distribution(name).files or ():
                if ".." not in file.parts and file.suffix not in COMPILED:
                    packed.write(str(file.locate()), str(file))
        for path in sorted(PACKAGE.rglob("*")):
            if path.is_file() and path.suffix not in COMPILED:
                packed.write(path, path.relative_to(PACKAGE.parent))
        # The parts of each game are found by the entry points of the installed package.
        own = distribution(PACKAGE.name)
        for name in ("METADATA", "entry_points.txt"):
            packed.writestr(f"{PACKAGE.name}-{own.version}.dist-info/{name}", own.read_text(name))
        packed.write(HERE / "bridge.py", "bridge.py")


def write_page(pyodide: Path, folder: Path) -> None:
    """Write the page, its worker, Python and the packages into a folder.

    Raises:
        ConfigError: as in `check_distribution`, before anything is written.
    """
    numpy = check_distribution(pyodide)
    shutil.copytree(PACKAGE / "play" / "page", folder / "page", dirs_exist_ok=True)
    shutil.move(folder / "page" / "index.html", folder / "index.html")
    for name in ("server.js", "worker.js"):
        shutil.copy(HERE / name, folder / "page")
    words = folder / "page" / "words"
    words.mkdir(exist_ok=True)
    (words / "languages.json").write_text(json.dumps(languages()), "utf-8")
    for language in languages():
        (words / f"{language}.json").write_text(json.dumps(page_words(language)), "utf-8")
    (folder / "pyodide").mkdir(exist_ok=True)
    for name in (*CORE, numpy):
        shutil.copy(pyodide / name, folder / "pyodide")
    write_packages(folder / "packages.zip")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pyodide", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    try:
        write_page(arguments.pyodide, arguments.folder)
    except ConfigError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
