"""Machine code that need not be compiled, since a package of its own brings it.

The package ``tkm_env_machine_code`` holds what numba made of each kernel for a kind of processor:
an object file with one entry, which takes numbers and addresses and returns a status. It belongs
to no version of Python. Only the wrapper that Python calls is made here, by the numba that is
installed, in milliseconds; numba's cache then keeps both.

The code of a package lies in a folder with the name of its folder in the cache, which holds the
digest of all sources, so that code of other sources is never found. Whatever does not fit, the
processor, numba's calling convention or a damaged file, is left alone, and numba compiles.
"""

import hashlib
import json
import warnings
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from llvmlite import binding
from numba import config
from numba.core import compiler, funcdesc, types, typing
from numba.core.environment import Environment

from tkm_env.compiled.vector_instructions import SLOW_PROCESSORS

#: The package with the code, and the file that describes a folder of it.
PACKAGE: Final = "tkm_env_machine_code"
INDEX: Final = "index.json"
#: What follows a kernel's key in the name of its object file.
OBJECT: Final = ".o"

#: A function in Python; the types of a call; a numba type; a library of code, and numba's target.
Function: TypeAlias = Any
Arguments: TypeAlias = tuple[types.Type, ...]
Library: TypeAlias = Any
Target: TypeAlias = Any


class Row(NamedTuple):
    """The code of a kernel for some types of its arguments.

    Attributes:
        digest: of the object file, by `digest_of`.
        answer: the type that the kernel returns, by `name_of`.
        convention: LLVM's type of the entry.
        needs: the names of the C functions that the code calls.
    """

    digest: str
    answer: str
    convention: str
    needs: tuple[str, ...]


class Code(NamedTuple):
    """What numba's cache keeps of shipped code.

    Attributes:
        symbol: the name of the entry.
        answer: the type that the kernel returns, by `name_of`.
        entry: the object file with the entry.
        wrapper: the wrapper that Python calls, as numba keeps a library.
    """

    symbol: str
    answer: str
    entry: bytes
    wrapper: Any


def digest_of(content: bytes) -> str:
    """A digest of 32 hexadecimal characters."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def key_of(function: Function, arguments: Arguments) -> str:
    """The key of a function's code in an index.

    Args:
        function: the function in Python.
        arguments: the types of its arguments.

    Returns:
        A digest.
    """
    line = function.__code__.co_firstlineno
    called = f"{function.__module__}.{function.__qualname__}:{line}{arguments}"
    return digest_of(called.encode())


def symbol_of(key: str) -> str:
    """The name of the entry of a function with this key; numba takes mangled names alone."""
    return f"_ZN7tkm_env{len(key) + 1}k{key}E"


def name_of(answer: types.Type) -> str | None:
    """The name in ``numba.types`` of a type, or of a tuple's elements and their number.

    It is None for any other type.
    """
    element, count = (
        (answer.dtype, f"*{len(answer)}") if isinstance(answer, types.UniTuple) else (answer, "")
    )
    return f"{element.name}{count}" if getattr(types, element.name, None) == element else None


def _type_named(name: str) -> types.Type:
    element, _, count = name.partition("*")
    found = getattr(types, element)
    return types.UniTuple(found, int(count)) if count else found


def convention_of(target: Target, answer: types.Type, arguments: Arguments) -> str:
    """LLVM's type of a function, as this version of numba calls it.

    Args:
        target: numba's target.
        answer: the type that it returns.
        arguments: the types of its arguments.

    Returns:
        The type as text.
    """
    return str(target.call_conv.get_function_type(answer, arguments))


@cache
def _root() -> Any:
    """The folder of the package; None if there is none for this processor."""
    if config.CPU_NAME or config.CPU_FEATURES or find_spec(PACKAGE) is None:
        return None
    root = files(PACKAGE)
    wanted = _read(root).get("features", ())
    has = binding.get_host_cpu_features()
    if binding.get_host_cpu_name() in SLOW_PROCESSORS or not all(map(has.get, wanted)):
        return None
    return root


def _read(folder: Any) -> Mapping[str, Any]:
    """The content of a folder's index; none if it has no index that can be read."""
    try:
        found = json.loads((folder / INDEX).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _warn(f"the index in {folder} cannot be read ({error})")
        return {}
    return found if isinstance(found, dict) else {}


@cache
def _rows(name: str) -> Mapping[str, Row]:
    """The code that is shipped for a folder of the cache."""
    root = _root()
    if root is None:
        return {}
    return {
        key: Row(**(row | {"needs": tuple(row["needs"])}))
        for key, row in _read(root / name).items()
    }


def _warn(reason: str) -> None:
    warnings.warn(f"{reason}; the code is compiled here instead", RuntimeWarning, stacklevel=2)


def shipped_overload(
    function: Function, arguments: Arguments, target: Target, folder: str, releases_gil: bool
) -> compiler.CompileResult | None:
    """Make what numba calls an overload from shipped code.

    Args:
        function: the kernel in Python.
        arguments: the types of its arguments.
        target: numba's target.
        folder: the path of the folder in which the cache keeps the kernel.
        releases_gil: whether other threads run while it does.

    Returns:
        The overload; None if no code is shipped that fits.
    """
    name, key = Path(folder).name, key_of(function, arguments)
    row = _rows(name).get(key)
    if row is None:
        return None
    answer = _type_named(row.answer)
    if convention_of(target, answer, arguments) != row.convention or not all(
        map(binding.address_of_symbol, row.needs)
    ):
        return None
    path, symbol = _root() / name / f"{key}{OBJECT}", symbol_of(key)
    entry = path.read_bytes()
    if digest_of(entry) != row.digest:
        _warn(f"{path} is damaged")
        return None
    native = _library(target, symbol, entry)
    described = _described(function, arguments, answer, symbol)
    environment = Environment.from_fndesc(described)
    wrapper = target.codegen().create_library(f"{symbol}.wrapper")
    wrapper.enable_object_caching()
    target.create_cpython_wrapper(wrapper, described, environment, None, releases_gil)
    wrapper.finalize()
    code = Code(symbol, row.answer, entry, wrapper.serialize_using_object_code())
    return _overload(target, described, environment, (native, wrapper), code)


def rebuilt_overload(
    function: Function, arguments: Arguments, target: Target, code: Code
) -> compiler.CompileResult:
    """Make an overload from what the cache kept of `shipped_overload`.

    Args:
        function: the kernel in Python.
        arguments: the types of its arguments.
        target: numba's target.
        code: what was kept.

    Returns:
        The overload.
    """
    described = _described(function, arguments, _type_named(code.answer), code.symbol)
    libraries = (
        _library(target, code.symbol, code.entry),
        target.codegen().unserialize_library(code.wrapper),
    )
    return _overload(target, described, Environment.from_fndesc(described), libraries, code)


def code_of(overload: compiler.CompileResult) -> Code | None:
    """The shipped code that an overload was made from; None if it was compiled here."""
    found = (overload.metadata or {}).get(PACKAGE)
    assert found is None or isinstance(found, Code)
    return found


def _described(
    function: Function, arguments: Arguments, answer: types.Type, symbol: str
) -> funcdesc.PythonFunctionDescriptor:
    """Describe a kernel for numba, with the symbol as its name."""
    return funcdesc.PythonFunctionDescriptor(
        native=True,
        modname=function.__module__,
        qualname=function.__qualname__,
        unique_name=function.__qualname__,
        doc="",
        typemap={},
        restype=answer,
        calltypes={},
        args=tuple(map(str, range(len(arguments)))),
        kws=(),
        mangler=lambda *_, **__: symbol,
        argtypes=arguments,
        env_name=f"{symbol}.environment",
    )


def _library(target: Target, name: str, code: bytes) -> Library:
    """A library of numba's with this machine code, which nothing else can be linked with."""
    codegen = target.codegen()
    library = codegen.create_library(name)
    library.enable_object_caching()
    library._set_compiled_object(code)
    # numba finds the code by a module, which has nothing in it.
    empty = binding.parse_assembly(str(codegen._create_empty_module(name)))
    library._shared_module = library._final_module = empty
    library._finalize_final_module()
    return library


def _overload(
    target: Target,
    described: funcdesc.PythonFunctionDescriptor,
    environment: Environment,
    libraries: tuple[Library, Library],
    code: Code,
) -> compiler.CompileResult:
    native, wrapper = libraries
    return compiler.compile_result(
        typing_context=None,
        target_context=target,
        entry_point=target.get_executable(wrapper, described, environment),
        library=native,
        fndesc=described,
        environment=environment,
        signature=typing.signature(described.restype, *described.argtypes),
        objectmode=False,
        lifted=(),
        metadata={PACKAGE: code},
        reload_init=(),
        referenced_envs=(),
    )
