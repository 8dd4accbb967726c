"""The site for tests, built and on a host; it needs the extra ``[docs]``."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: What pages need that neither run a tutorial nor document a module.
_LIGHT = "myst_parser,sphinx_design,site_extension,themed_pictures,try_it"


def outside_environment() -> dict[str, str]:
    """The variables of a shell in which this Python's virtual environment is not activated."""
    own = Path(sys.executable).parent
    folders = [folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder) != own]
    return os.environ | {"PATH": os.pathsep.join(folders)}


def build(
    documents: Path, folder: Path, *options: str, pyodide: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Build the site of a folder of documents into another folder.

    Args:
        documents: the folder of the documents.
        folder: where to build.
        options: options of Sphinx.
        pyodide: a distribution of Pyodide, to include the play page; None to leave it out.

    Returns:
        The finished process.
    """
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        *options,
        "-d",
        folder.with_name(f"{folder.name}-read"),
        documents,
        folder,
    ]
    environment = outside_environment() | {"PYODIDE": str(pyodide or "")}
    # The package is imported from where the tests import it: machine code is kept beside sources.
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def build_some(
    folder: Path, *pages: str, pyodide: Path | None = None, version: str = ""
) -> subprocess.CompletedProcess[str]:
    """Build the first page and some others, in seconds; the version is the menu's."""
    settings = {
        "extensions": _LIGHT,
        "include_patterns": f"index.md,{','.join(pages)}",
        "html_context.release_name": version,
    }
    options = [part for name, value in settings.items() for part in ("-D", f"{name}={value}")]
    return build(ROOT / "docs", folder, *options, pyodide=pyodide)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Say nothing."""


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """The address of a static host with what is in a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
