"""The functions of `tkm_env.compiled.bits` on sixteen bytes, in compiled code.

They become LLVM's vector instructions, which every processor has in some form. The decorator
`tkm_env.compiled.decorators.instructions` uses them.
"""

from collections.abc import Callable
from typing import Any, Final

from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils, typing
from numba.core.base import BaseContext
from numba.np import arrayobj

from tkm_env.compiled.atomics_intrinsics import Arguments, Emit, compiles_to
from tkm_env.compiled.linking import as_inlined

_BYTE, _WORD = ir.IntType(8), ir.IntType(64)
_SIXTEEN, _SIXTY_FOUR = ir.VectorType(_BYTE, 16), ir.VectorType(_BYTE, 64)
_BITS: Final = ir.VectorType(ir.IntType(1), 16)
#: Processors that have PDEP, but take hundreds of cycles for it.
SLOW_PROCESSORS: Final = ("znver1", "znver2", "bdver4")


def _place(
    context: BaseContext,
    builder: ir.IRBuilder,
    array_type: types.Array,
    array: ir.Value,
    first: ir.Value,
    kind: ir.VectorType = _SIXTEEN,
) -> ir.Value:
    """The address of the vector of bytes that begins at an index of a C-contiguous array."""
    data = arrayobj.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [first]), kind.as_pointer())


def _same(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """A vector with that value in all sixteen bytes."""
    one = builder.insert_element(
        ir.Constant(_SIXTEEN, ir.Undefined), builder.trunc(value, _BYTE), ir.IntType(32)(0)
    )
    return builder.shuffle_vector(
        one, one, ir.Constant(ir.VectorType(ir.IntType(32), 16), [0] * 16)
    )


def _where(operator: str) -> Emit:
    def emit(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: typing.Signature,
        arguments: Arguments,
    ) -> ir.Value:
        row = builder.load(_place(context, builder, signature.args[0], *arguments[:2]), align=1)
        ones = builder.icmp_unsigned(operator, row, _same(builder, arguments[2]))
        return builder.zext(builder.bitcast(ones, ir.IntType(16)), _WORD)

    return emit


def _write(
    context: BaseContext,
    builder: ir.IRBuilder,
    signature: typing.Signature,
    arguments: Arguments,
    sixteen: ir.Value,
) -> ir.Value:
    place = _place(context, builder, signature.args[0], *arguments[:2])
    builder.store(sixteen, place, align=1)
    return context.get_dummy_value()


def _write_ones(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    bits = builder.bitcast(builder.trunc(arguments[2], ir.IntType(16)), _BITS)
    return _write(context, builder, signature, arguments, builder.zext(bits, _SIXTEEN))


def _write_equal(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    others = builder.load(
        _place(context, builder, signature.args[2], arguments[2], ir.IntType(64)(0)), align=1
    )
    ones = builder.icmp_unsigned("==", others, _same(builder, arguments[3]))
    return _write(context, builder, signature, arguments, builder.zext(ones, _SIXTEEN))


def _write_fill(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    return _write(context, builder, signature, arguments, _same(builder, arguments[2]))


def _ones_at(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    array, first = arguments
    row = builder.load(
        _place(context, builder, signature.args[0], array, first, _SIXTY_FOUR), align=1
    )
    return builder.bitcast(builder.icmp_unsigned("!=", row, ir.Constant(_SIXTY_FOUR, None)), _WORD)


def _nth_bit(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    scatter = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_WORD, [_WORD, _WORD]), "llvm.x86.bmi.pdep.64"
    )
    bits, number = arguments
    return builder.cttz(
        builder.call(scatter, [builder.shl(_WORD(1), number), bits]), ir.IntType(1)(1)
    )


def _count(
    context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: Arguments
) -> ir.Value:
    return builder.ctpop(arguments[0])


#: By the function's name: the type that it returns, those of its parameters (None for an array),
#: and its code.
_INSTRUCTIONS: Final[dict[str, tuple[types.Type, tuple[types.Type | None, ...], Emit]]] = {
    "where_equal": (types.int64, (None, types.int64, types.int64), _where("==")),
    "where_below": (types.int64, (None, types.int64, types.int64), _where("<")),
    "write_ones": (types.none, (None, types.int64, types.int64), _write_ones),
    "write_equal": (types.none, (None, types.int64, None, types.int64), _write_equal),
    "write_fill": (types.none, (None, types.int64, types.int64), _write_fill),
    "count_bits": (types.int64, (types.int64,), _count),
    "ones_at": (types.uint64, (None, types.int64), _ones_at),
}
# numba compiles for the processor that NUMBA_CPU_NAME and NUMBA_CPU_FEATURES name, if they are set.
_FEATURES: Final = (
    binding.get_host_cpu_features().flatten()
    if config.CPU_FEATURES is None
    else config.CPU_FEATURES
)
if (
    "+bmi2" in _FEATURES.split(",")
    and (config.CPU_NAME or binding.get_host_cpu_name()) not in SLOW_PROCESSORS
):
    _INSTRUCTIONS["nth_bit"] = types.int64, (types.uint64, types.int64), _nth_bit


def as_instructions(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function to its instructions, as a part of its callers.

    On a GPU, and on a processor without the instructions, the function itself runs.

    Args:
        function: a function of `tkm_env.compiled.bits`.
        **options: numba's options.

    Returns:
        The compiled function.
    """
    if function.__name__ not in _INSTRUCTIONS:
        return as_inlined(function, **options)
    answer, parameters, emit = _INSTRUCTIONS[function.__name__]
    compiles_to(function, answer, *parameters)(emit)

    def call(*given: Any) -> Any:
        return function(*given)

    # Machine code is found by its function's name.
    call.__module__, call.__name__, call.__qualname__ = (
        function.__module__,
        function.__name__,
        function.__qualname__,
    )
    part = as_inlined(call, **options)
    part.on_device = function
    return part
