"""What numba leaves out: words that several threads write to, waiting for each other, and addresses.

In compiled code each function is an instruction of LLVM's or a call of the locks in Python's C API, which need no interpreter; where
nothing is compiled it is plain Python, and for one thread only.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

from llvmlite import binding, ir
from numba import extending, types
from numba.core import cgutils
from numba.np import arrayobj

__all__ = [
    "acquire_lock",
    "atomic_load",
    "borrowed",
    "compare_exchange",
    "free_lock",
    "new_lock",
    "pause",
    "pointer",
    "release_lock",
]

# numba's types leave these out.
_intrinsic: Callable[[Callable[..., Any]], Any] = extending.intrinsic
_make_array: Any = arrayobj.make_array
_insert_function: Any = cgutils.get_or_insert_function
_null: Any = cgutils.get_null_value

#: Tells a processor that a loop only waits; by the first part of LLVM's name of the machine. On ARM, "yield" does nothing.
_PAUSES: Final = {
    "x86_64": ("llvm.x86.sse2.pause", ()),
    "aarch64": ("llvm.aarch64.isb", (15,)),
    "arm64": ("llvm.aarch64.isb", (15,)),
}
_PAUSE: Final = _PAUSES.get(binding.get_process_triple().split("-")[0])

_allocate = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThread_allocate_lock", ctypes.pythonapi))
_acquire = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)(("PyThread_acquire_lock", ctypes.pythonapi))
_release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyThread_release_lock", ctypes.pythonapi))
_free = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyThread_free_lock", ctypes.pythonapi))


def atomic_load(words: Any, place: Any) -> Any:
    """A word as other threads have left it, and with it all that they wrote before."""
    return words[place]


def compare_exchange(words: Any, place: Any, expected: Any, word: Any) -> Any:
    """Put a word in place of the expected one, and answer whether it was that."""
    same = bool(words[place] == expected)
    if same:
        words[place] = word
    return same


def pause() -> None:
    """Leave the core's inside and its power to others for some nanoseconds."""


def new_lock() -> int:
    """The address of a lock that is held; any thread may release it."""
    address = _allocate()
    if not address:
        raise MemoryError("no memory for a lock")
    _acquire(address, 1)
    return int(address)


def free_lock(address: int) -> None:
    """Give back a lock that no thread uses any longer."""
    _free(address)


def acquire_lock(address: Any) -> None:
    """Sleep until the lock is released, and hold it; signals do not end the sleep."""
    _acquire(int(address), 1)


def release_lock(address: Any) -> None:
    """Wake who sleeps, or will, until the lock is released."""
    _release(int(address))


def pointer(address: Any) -> Any:
    """An address in memory as what `numba.carray` takes."""
    return ctypes.c_void_p(int(address))


def borrowed(arrays: Any) -> Any:
    """The same arrays, without an owner: compiled code counts who uses an owner's memory at every view of it, be it of one row."""
    return arrays


def _place_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    words = _make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(words.data, [arguments[1]])


def _call(builder: Any, name: str, result: Any, *arguments: Any) -> None:
    function = ir.FunctionType(result, [argument.type for argument in arguments])
    builder.call(_insert_function(builder.module, function, name), arguments)


@_intrinsic
def _atomic_load(typing_context: Any, words: Any, place: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_place_of(context, builder, signature, arguments), "seq_cst", 8)

    return types.int64(words, types.intp), emit


@_intrinsic
def _compare_exchange(typing_context: Any, words: Any, place: Any, expected: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place_of(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(where, arguments[2], arguments[3], "seq_cst", "seq_cst"), 1)

    return types.boolean(words, types.intp, types.int64, types.int64), emit


@_intrinsic
def _pause(typing_context: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _PAUSE:
            name, numbers = _PAUSE
            _call(builder, name, ir.VoidType(), *(ir.IntType(32)(number) for number in numbers))
        return context.get_dummy_value()

    return types.void(), emit


@_intrinsic
def _acquire_lock(typing_context: Any, address: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lock = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
        _call(builder, "PyThread_acquire_lock", ir.IntType(32), lock, ir.IntType(32)(1))
        return context.get_dummy_value()

    return types.void(types.int64), emit


@_intrinsic
def _release_lock(typing_context: Any, address: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lock = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
        _call(builder, "PyThread_release_lock", ir.VoidType(), lock)
        return context.get_dummy_value()

    return types.void(types.int64), emit


@_intrinsic
def _as_pointer(typing_context: Any, address: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), emit


@_intrinsic
def _borrowed(typing_context: Any, arrays: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        answer = arguments[0]
        for number, kind in enumerate(arrays):
            array = _make_array(kind)(context, builder, builder.extract_value(answer, number))
            array.meminfo = _null(array.meminfo.type)
            array.parent = _null(array.parent.type)
            answer = builder.insert_value(answer, array._getvalue(), number)
        return answer

    return arrays(arrays), emit


@extending.overload(atomic_load)
def _compiled_load(words: Any, place: Any) -> Any:
    def in_llvm(words: Any, place: Any) -> Any:
        return _atomic_load(words, place)

    return in_llvm


@extending.overload(compare_exchange)
def _compiled_exchange(words: Any, place: Any, expected: Any, word: Any) -> Any:
    def in_llvm(words: Any, place: Any, expected: Any, word: Any) -> Any:
        return _compare_exchange(words, place, expected, word)

    return in_llvm


@extending.overload(pause)
def _compiled_pause() -> Any:
    def in_llvm() -> Any:
        return _pause()

    return in_llvm


@extending.overload(acquire_lock)
def _compiled_acquire(address: Any) -> Any:
    def in_llvm(address: Any) -> Any:
        return _acquire_lock(address)

    return in_llvm


@extending.overload(release_lock)
def _compiled_release(address: Any) -> Any:
    def in_llvm(address: Any) -> Any:
        return _release_lock(address)

    return in_llvm


@extending.overload(pointer)
def _compiled_pointer(address: Any) -> Any:
    def in_llvm(address: Any) -> Any:
        return _as_pointer(address)

    return in_llvm


@extending.overload(borrowed)
def _compiled_borrowed(arrays: Any) -> Any:
    def in_llvm(arrays: Any) -> Any:
        return _borrowed(arrays)

    return in_llvm
