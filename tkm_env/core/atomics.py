"""What numba leaves out and the processor can: words that several threads write to, and addresses.

In compiled code each function is an instruction of LLVM's; where nothing is compiled it is the plain function, and for one thread only.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from numba import extending, types
from numba.np import arrayobj

__all__ = ["pointer", "read", "replace"]

# numba's types leave these out.
_intrinsic: Callable[[Callable[..., Any]], Any] = extending.intrinsic
_make_array: Any = arrayobj.make_array


def read(words: Any, place: Any) -> Any:
    """A word as other threads have left it, and with it all that they wrote before."""
    return words[place]


def replace(words: Any, place: Any, expected: Any, word: Any) -> Any:
    """Put a word in place of the expected one, and tell whether it was that."""
    same = bool(words[place] == expected)
    if same:
        words[place] = word
    return same


def pointer(address: Any) -> Any:
    """An address in memory as what `numba.carray` takes."""
    return ctypes.c_void_p(int(address))


def _place_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    words = _make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(words.data, [arguments[1]])


@_intrinsic
def _atomic_read(typing_context: Any, words: Any, place: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_place_of(context, builder, signature, arguments), "acquire", 8)

    return types.int64(words, types.intp), emit


@_intrinsic
def _atomic_replace(typing_context: Any, words: Any, place: Any, expected: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place_of(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(where, arguments[2], arguments[3], "seq_cst", "seq_cst"), 1)

    return types.boolean(words, types.intp, types.int64, types.int64), emit


@_intrinsic
def _as_pointer(typing_context: Any, address: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), emit


@extending.overload(read)
def _compiled_read(words: Any, place: Any) -> Any:
    def in_llvm(words: Any, place: Any) -> Any:
        return _atomic_read(words, place)

    return in_llvm


@extending.overload(replace)
def _compiled_replace(words: Any, place: Any, expected: Any, word: Any) -> Any:
    def in_llvm(words: Any, place: Any, expected: Any, word: Any) -> Any:
        return _atomic_replace(words, place, expected, word)

    return in_llvm


@extending.overload(pointer)
def _compiled_pointer(address: Any) -> Any:
    def in_llvm(address: Any) -> Any:
        return _as_pointer(address)

    return in_llvm
