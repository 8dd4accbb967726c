"""Machine code on disk: numba's cache, with checks.

Its folder is named by a digest of all sources that the code is made from, so all installations of
the same sources share it. If several processes need a function at the same time, only one of them
compiles it.

What is not there may come with a package (`tkm_env.compiled.shipped_code`). numba compiles the
rest.

numba trusts what it finds in its cache. Here each file begins with a digest of the rest. Unreadable
code is compiled again, and code that cannot be written is not kept; the first such case in a
process raises a warning.
"""

import hashlib
import pickle
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

import numba
from numba.core import caching

from tkm_env.compiled import shipped_code
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.line_file import LineFile

#: A function that numba compiles.
Compiled: TypeAlias = Any
#: Objects of numba's own: the signature of a call, and the code compiled for one.
Signature: TypeAlias = Any
Overload: TypeAlias = Any

#: Seconds to wait for another process that compiles the same function.
_PATIENCE: Final = 60.0


#: The warnings of this process so far.
_warned: Final[list[str]] = []


def _warn_unreadable(folder: str, error: Exception) -> None:
    _warn_once(f"machine code in {folder} cannot be read ({error}); it is compiled again")


def _warn_unkept(reason: str) -> None:
    _warn_once(f"{reason}; every process will compile again, which takes some seconds")


def _warn_once(warning: str) -> None:
    if not _warned:
        _warned.append(warning)
        warnings.warn(warning, RuntimeWarning, stacklevel=2)


class _CheckedFiles(caching.IndexDataCacheFile):
    """The index and the data of one function, under numba's file names, each after a digest."""

    def _dump(self, content: object) -> bytes:
        data: bytes = super()._dump(content)
        return _digest(data) + data

    def _load_index(self) -> dict[Signature, str]:
        try:
            version, stamp, overloads = self._load_data(self._index_name)
        except FileNotFoundError:
            return {}
        except Exception as error:  # a foreign file can raise anything
            _warn_unreadable(self._cache_path, error)
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Signature, str]) -> None:
        self._save_data(self._index_name, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        size = len(_digest(b""))
        if content[:size] != _digest(content[size:]):
            raise pickle.UnpicklingError(f"{name} is damaged")
        # As numba does: whoever can write here can also change the sources.
        return pickle.loads(content[size:])  # noqa: S301


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


class _CacheFolder:
    """Where numba keeps a function's machine code.

    It is the folder itself, without subfolders by source path.
    """

    def __init__(self, function: Any) -> None:
        self._folder: str = numba.config.CACHE_DIR
        self._line: int = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_CacheFolder":
        """The folder for a function, whatever file it is in.

        The parameters have numba's names.

        Args:
            py_func: the function.
            py_file: the path of its file, which makes no difference.

        Returns:
            Its folder.
        """
        return cls(py_func)

    def get_cache_path(self) -> str:
        """The folder."""
        return self._folder

    def ensure_cache_path(self) -> None:
        """Create the folder, in case it has been removed."""
        Path(self._folder).mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """An empty stamp, since the folder's name stands for the sources."""
        return ""

    def get_disambiguator(self) -> str:
        """The line, which distinguishes functions of the same name in a file."""
        return str(self._line)


class _Results(caching.CompileResultCacheImpl):
    """How overloads are written and read."""

    _locator_classes = (_CacheFolder,)

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._function = function

    def reduce(self, overload: Overload) -> Any:
        """What is written of an overload.

        Args:
            overload: the overload, compiled here or made from shipped code.

        Returns:
            The types of its arguments and its code, if that was shipped, and otherwise what numba
                writes.
        """
        code = shipped_code.code_of(overload)
        return super().reduce(overload) if code is None else (overload.signature.args, code)

    def rebuild(self, target: Any, kept: Any) -> Overload:
        """The overload of which this was written.

        Args:
            target: numba's target.
            kept: what `reduce` returned.

        Returns:
            The overload.
        """
        if isinstance(kept[-1], shipped_code.Code):
            return shipped_code.rebuilt_overload(self._function, kept[0], target, kept[1])
        return super().rebuild(target, kept)


class _CodeCache(caching.FunctionCache):
    """The machine code of one function."""

    _impl_class = _Results

    def __init__(self, function: Any, releases_gil: bool) -> None:
        super().__init__(function)
        self._releases_gil = releases_gil
        files: Any = self._cache_file
        self._cache_file: Any = _CheckedFiles(
            self._cache_path, files._index_name.removesuffix(".nbi"), files._source_stamp
        )
        #: Held while this process compiles the function.
        self._turn: LineFile | None = None

    def _index_key(self, sig: Signature, codegen: Any) -> tuple[Any, ...]:
        # Without what the function refers to, for which the folder stands: pickled, it would differ
        # from process to process.
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Signature, target_context: Any) -> Overload | None:
        found = self._load(sig, target_context) or self._shipped(sig, target_context)
        if found is None and self._turn is None:
            self._turn = _turn_to_compile(f"{self._cache_file._index_path}.lock")
            found = self._load(sig, target_context)  # by now, another process may have written it
            if found is not None:
                self._end_turn()
        return found

    def _load(self, sig: Signature, target_context: Any) -> Overload | None:
        try:
            # Unlike numba's `load_overload`, this does not refresh the context first, for which
            # numba would import all of its lowering and, if it is there, SciPy: machine code that
            # is loaded needs none of it, and compiling refreshes the context itself.
            return self._load_overload(sig, target_context)
        except Exception as error:  # a foreign file can raise anything
            _warn_unreadable(self.cache_path, error)
            return None

    def _shipped(self, sig: Signature, target_context: Any) -> Overload | None:
        """The overload made from shipped code, which is kept for the next process."""
        try:
            found = shipped_code.shipped_overload(
                self._py_func, sig, target_context, self.cache_path, self._releases_gil
            )
        except Exception as error:  # another numba's internals can raise anything
            _warn_once(
                f"machine code that was shipped cannot be used ({error}); it is compiled here"
            )
            return None
        if found is not None:
            self.save_overload(sig, found)
        return found

    def save_overload(self, sig: Signature, data: Overload) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_unkept(f"machine code cannot be written to {self.cache_path} ({error})")
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            with suppress(FileError), turn:
                pass


def _turn_to_compile(path: str) -> LineFile | None:
    """The lock on compiling a function, which only saves work.

    It is None if the lock cannot be taken, or another process holds it for too long.
    """
    with suppress(FileError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LineFile(path, patience=_PATIENCE)
    return None


class _NoCache(caching.NullCache):
    """The cache where no folder is writable."""

    def save_overload(self, sig: Signature, cres: Overload) -> None:
        _warn_unkept("no folder for machine code can be written to; NUMBA_CACHE_DIR may name one")


def keep_code(function: Compiled, folder: str | None) -> None:
    """Make numba keep the machine code of a function in a folder.

    Args:
        function: one of numba's functions.
        folder: the path of the folder; None to keep nothing, with a warning once it is compiled.
    """
    if folder is None:
        function._cache = _NoCache()
        return
    given = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = folder
    try:
        releases_gil = bool(function.targetoptions.get("nogil"))
        function._cache = _CodeCache(function.py_func, releases_gil)
    finally:
        numba.config.CACHE_DIR = given
