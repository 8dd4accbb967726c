"""The functions of `tkm_env.compiled.atomics` in compiled code.

They become LLVM instructions, or calls of the locks in Python's C API.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from llvmlite import binding, ir
from numba import extending, types
from numba.core import cgutils, typing
from numba.core.base import BaseContext
from numba.np import arrayobj

from tkm_env.compiled.atomics import (
    acquire_lock,
    array_at,
    atomic_load,
    compare_exchange,
    pause,
    release_lock,
    stack_row,
)

#: The instruction that tells a processor that a loop is only waiting, by the architecture in LLVM's
#: triple. On ARM, "yield" does nothing.
_PAUSES: Final = {
    "x86_64": ("llvm.x86.sse2.pause", ()),
    "aarch64": ("llvm.aarch64.isb", (15,)),
    "arm64": ("llvm.aarch64.isb", (15,)),
}
_PAUSE: Final = _PAUSES.get(binding.get_process_triple().split("-")[0])

_BYTE: Final = ir.IntType(8)
_ANY_ALIGNMENT: Final = 64

#: The arguments of a function while LLVM code is emitted.
Arguments: TypeAlias = Sequence[ir.Value]
#: Emits the LLVM code of a call, and returns the call's value.
Emit: TypeAlias = Callable[[BaseContext, ir.IRBuilder, typing.Signature, Arguments], ir.Value]


def compiles_to(
    function: Callable[..., Any], answer: types.Type | None, *parameters: types.Type | None
) -> Callable[[Emit], Emit]:
    """Make compiled code run what the decorated function emits, instead of ``function``.

    Args:
        function: the function that compiled code calls.
        answer: the type of what it returns; None for the type of its first argument.
        *parameters: the types of its parameters; None for any type.

    Returns:
        The decorator.
    """

    def register(emit: Emit) -> Emit:
        @functools.wraps(function)
        def signature(*given: types.Type) -> typing.Signature:
            taken = [
                one if wanted is None else wanted
                for one, wanted in zip(given, parameters, strict=True)
            ]
            return typing.signature(answer or given[0], *taken)

        extending.type_callable(function)(lambda context: signature)
        extending.lower_builtin(function, types.VarArg(types.Any))(emit)
        return emit

    return register


def _place_of(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    words = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(words.data, [arguments[1]])


def _call(builder: ir.IRBuilder, name: str, result: ir.Type, *arguments: ir.Value) -> None:
    function = ir.FunctionType(result, [argument.type for argument in arguments])
    builder.call(cgutils.get_or_insert_function(builder.module, function, name), arguments)


@compiles_to(atomic_load, types.int64, None, types.intp)
def _emit_load(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    return builder.load_atomic(_place_of(context, builder, signature, arguments), "seq_cst", 8)


@compiles_to(compare_exchange, types.boolean, None, types.intp, types.int64, types.int64)
def _emit_exchange(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    place = _place_of(context, builder, signature, arguments)
    return builder.extract_value(
        builder.cmpxchg(place, arguments[2], arguments[3], "seq_cst", "seq_cst"), 1
    )


@compiles_to(pause, types.none)
def _emit_pause(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    if _PAUSE:
        name, numbers = _PAUSE
        _call(builder, name, ir.VoidType(), *(ir.IntType(32)(number) for number in numbers))
    return context.get_dummy_value()


@compiles_to(acquire_lock, types.none, types.int64)
def _emit_acquire(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    lock = _pointer(context, builder, arguments[0])
    _call(builder, "PyThread_acquire_lock", ir.IntType(32), lock, ir.IntType(32)(1))
    return context.get_dummy_value()


@compiles_to(release_lock, types.none, types.int64)
def _emit_release(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    _call(builder, "PyThread_release_lock", ir.VoidType(), _pointer(context, builder, arguments[0]))
    return context.get_dummy_value()


@compiles_to(array_at, types.Array(types.int8, 2, "C"), types.int64, types.int64, types.int64)
def _emit_array(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    address, rows, columns = arguments
    return _bytes_array(
        context, builder, signature, builder.inttoptr(address, _BYTE.as_pointer()), [rows, columns]
    )


@compiles_to(stack_row, types.Array(types.int8, 1, "C"), types.int64)
def _emit_stack(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    memory = builder.alloca(_BYTE, arguments[0])
    memory.align = _ANY_ALIGNMENT
    cgutils.memset(builder, memory, arguments[0], 0)
    return _bytes_array(context, builder, signature, memory, arguments)


def _bytes_array(
    context: BaseContext,
    builder: ir.IRBuilder,
    signature: typing.Signature,
    memory: ir.Value,
    shape: Arguments,
) -> ir.Value:
    """The memory as a C-contiguous array of bytes."""
    array = arrayobj.make_array(signature.return_type)(context, builder)
    byte = context.get_constant(types.intp, 1)
    strides = cgutils.pack_array(builder, [*shape[1:], byte])
    arrayobj.populate_array(
        array,
        data=memory,
        shape=cgutils.pack_array(builder, shape),
        strides=strides,
        itemsize=byte,
        meminfo=None,
    )
    return array._getvalue()


def _pointer(context: BaseContext, builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    return builder.inttoptr(address, context.get_value_type(types.voidptr))
