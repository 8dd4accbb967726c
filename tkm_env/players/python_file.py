"""Python files of unknown authors: running them, locating errors, redirecting prints."""

import importlib.util
import os
import random
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

import numpy as np

from tkm_env.foundations.errors import TKMError, shorten
from tkm_env.isolation.bot_protocol import Begin, parse_request


class _SourceLoader(SourceFileLoader):
    """Loads a module from its source, and neither reads nor writes bytecode."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the file's source."""
        return self.source_to_code(self.get_data(self.path), self.path)


def load_file(path: Path, refuse: Callable[[str], Exception]) -> ModuleType:
    """Run a Python file as a module.

    Args:
        path: the file.
        refuse: makes the exception to raise from a sentence that names an error in the file and
            its line.

    Returns:
        The module.

    Raises:
        Exception: what ``refuse`` makes, if the file raises an error or exits.
    """
    module_name = f"tkm_env_bot_{path.stem}"
    found = importlib.util.spec_from_file_location(
        module_name, path, loader=_SourceLoader(module_name, str(path))
    )
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[module_name] = module
    with reraise_with_location(path, refuse), _no_bytecode():
        found.loader.exec_module(module)
    return module


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Write no bytecode beside imported files: it would change the folder's digest."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


@contextmanager
def reraise_with_location(path: Path, refuse: Callable[[str], Exception]) -> Iterator[None]:
    """Report an error in a Python file with its line.

    A `TKMError` that was raised without the file's code being on the stack passes unchanged.

    Args:
        path: the file.
        refuse: makes the exception to raise from a sentence that names the error and its line.

    Yields:
        Nothing.

    Raises:
        Exception: what ``refuse`` makes, if the block raises an error or exits.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno) for frame in frames]
        if isinstance(error, SyntaxError):
            places.append((error.filename or "", error.lineno))
        own = os.path.abspath(path)
        lines = [line for file, line in places if line and os.path.abspath(file) == own]
        if isinstance(error, TKMError) and not lines:
            raise
        where = f"{path.name}, line {lines[-1]}" if lines else path.name
        what = " ".join(traceback.format_exception_only(error)[-1].split())
        raise refuse(f"{where}: {shorten(what)}") from error


@contextmanager
def redirect_prints_to_stderr() -> Iterator[Callable[[str], None]]:
    """Send everything that is printed to standard error.

    Yields:
        A function that writes a line to the real standard output.
    """
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n") as answers:
        os.dup2(2, 1)
        yield lambda line: print(line, file=answers, flush=True)


def reseed_at_each_game(requests: Iterable[str]) -> Iterator[str]:
    """Seed the generators that Python files share whenever a game or a question begins.

    These are the generators of `random` and `numpy.random`, which Python seeds by chance. With this
    a file that draws from them plays a game again as it did before.

    Args:
        requests: the referee's lines, with the seed in those that begin a game.

    Yields:
        The same lines.

    Raises:
        ProtocolError: if a line that begins a game violates the protocol.
    """
    for line in requests:
        if line.startswith("tkm "):
            begin = parse_request(line.rstrip("\r\n"))
            assert isinstance(begin, Begin)
            seed_shared_generators(begin.seed)
        yield line


def seed_shared_generators(seed: int) -> None:
    """Seed the generators of `random` and `numpy.random` with an integer of at least 0."""
    random.seed(seed)
    np.random.seed(seed % (1 << 32))  # noqa: NPY002 - this is the one to seed
