"""A small network over sparse binary inputs, compiled.

The first layer is a sum of one row for each active input, so the cost depends on what is on the
board (as in NNUE: Nasu, "Efficiently updatable neural-network-based evaluation functions for
computer shogi", 2018).
"""

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined

#: The values of a layer's units, or one row of weights: float32 of shape (units,).
Values: TypeAlias = NDArray[np.float32]
#: The weights of a layer: float32 of shape (units before it, units).
Weights: TypeAlias = NDArray[np.float32]
#: The inputs that are 1, by their indices: an integer dtype, of shape (n,).
Inputs: TypeAlias = NDArray[np.signedinteger[Any]]


class Network(NamedTuple):
    """The weights: float32, C-contiguous."""

    first: Weights  # (inputs, a): a row for each input
    first_bias: Values  # (a,)
    second: Weights  # (a, b)
    second_bias: Values  # (b,)
    third: Values  # (b,)
    third_bias: Values  # (1,)


class Workspace(NamedTuple):
    """The values of both hidden layers, which `output_of` writes."""

    first: Values  # (a,)
    second: Values  # (b,)


#: A network without inputs, as a placeholder.
NO_NETWORK: Final = Network(
    *(np.zeros((0,) * dimensions, np.float32) for dimensions in (2, 1, 2, 1, 1, 1))
)


def new_workspace(network: Network) -> Workspace:
    """A workspace for one call at a time."""
    return Workspace(np.zeros_like(network.first_bias), np.zeros_like(network.second_bias))


# Most of the time goes into adding rows of weights to a layer's sums. Several rows are added in one
# pass, so that each sum is loaded and stored once for all of them. They are written out one by one:
# compilers make vector instructions of the loop over units only if there is no loop inside it.

#: How many rows `_add_rows` adds in one pass, and how many `_add_products`.
_INPUTS_PER_PASS: Final = 4
_UNITS_PER_PASS: Final = 8


@inlined
def _add_rows(sums: Values, rows: Weights, inputs: Inputs, first: int) -> None:
    """Add the rows of the four inputs from ``inputs[first]`` on, one after another."""
    one, two = rows[inputs[first]], rows[inputs[first + 1]]
    three, four = rows[inputs[first + 2]], rows[inputs[first + 3]]
    for unit in range(sums.shape[0]):
        sums[unit] = sums[unit] + one[unit] + two[unit] + three[unit] + four[unit]


@inlined
def _add_products(sums: Values, rows: Weights, values: Values, first: int) -> None:
    """Add the eight rows from ``rows[first]`` on, one after another, each times its value."""
    rows_1_to_4, values_1_to_4 = _four_from(rows, first), _four_from(values, first)
    rows_5_to_8, values_5_to_8 = _four_from(rows, first + 4), _four_from(values, first + 4)
    for unit in range(sums.shape[0]):
        half = _plus_products(sums[unit], rows_1_to_4, values_1_to_4, unit)
        sums[unit] = _plus_products(half, rows_5_to_8, values_5_to_8, unit)


@inlined
def _four_from(array: NDArray[np.float32], first: int) -> tuple[Any, Any, Any, Any]:
    """The four rows of a table, or the four elements of a row, from index ``first`` on."""
    return array[first], array[first + 1], array[first + 2], array[first + 3]


@inlined
def _plus_products(
    total: np.float32,
    rows: tuple[Values, Values, Values, Values],
    values: tuple[np.float32, np.float32, np.float32, np.float32],
    unit: int,
) -> np.float32:
    """The total and one unit of four rows, each times its value."""
    total = total + values[0] * rows[0][unit] + values[1] * rows[1][unit]
    return total + values[2] * rows[2][unit] + values[3] * rows[3][unit]


@inlined
def output_of(network: Network, inputs: Inputs, count: int, work: Workspace) -> np.float32:
    """The network's output.

    Two hidden layers of rectified linear units lead to it. Sums are formed in a fixed order, so
    that results are equal on every machine.

    Args:
        network: the weights.
        inputs: the indices of the inputs that are 1.
        count: how many of ``inputs`` to use, from the first on.
        work: where to write the values of both hidden layers.

    Returns:
        The output, before any nonlinearity.
    """
    first, second = work.first, work.second
    width, narrow = first.shape[0], second.shape[0]
    for unit in range(width):
        first[unit] = network.first_bias[unit]
    in_passes = count - count % _INPUTS_PER_PASS
    for number in range(0, in_passes, _INPUTS_PER_PASS):
        _add_rows(first, network.first, inputs, number)
    for number in range(in_passes, count):
        row = network.first[inputs[number]]
        for unit in range(width):
            first[unit] += row[unit]
    for unit in range(width):
        first[unit] = max(first[unit], np.float32(0))
    for unit in range(narrow):
        second[unit] = network.second_bias[unit]
    in_passes = width - width % _UNITS_PER_PASS
    for unit in range(0, in_passes, _UNITS_PER_PASS):
        _add_products(second, network.second, first, unit)
    for unit in range(in_passes, width):
        row = network.second[unit]
        for other in range(narrow):
            second[other] += first[unit] * row[other]
    output = network.third_bias[0]
    for unit in range(narrow):
        second[unit] = max(second[unit], np.float32(0))
        output += second[unit] * network.third[unit]
    return output
