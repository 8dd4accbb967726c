"""A small network over sparse binary inputs, compiled. The first layer is a sum of one row for each active input, so the cost depends on
what is on the board (as in NNUE: Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi", 2018).
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined


class Network(NamedTuple):
    """The weights: float32, C-contiguous."""

    first: NDArray[np.float32]  # (inputs, a): a row for each input
    first_bias: NDArray[np.float32]  # (a,)
    second: NDArray[np.float32]  # (a, b)
    second_bias: NDArray[np.float32]  # (b,)
    third: NDArray[np.float32]  # (b,)
    third_bias: NDArray[np.float32]  # (1,)


class Workspace(NamedTuple):
    """The values of both hidden layers, which `output_of` writes."""

    first: NDArray[np.float32]  # (a,)
    second: NDArray[np.float32]  # (b,)


#: A network without inputs, as a placeholder.
NO_NETWORK: Final = Network(
    *(np.zeros((0,) * dimensions, np.float32) for dimensions in (2, 1, 2, 1, 1, 1))
)


def new_workspace(network: Network) -> Workspace:
    """A workspace for one call at a time."""
    return Workspace(np.zeros_like(network.first_bias), np.zeros_like(network.second_bias))


#: Rows that are added in one pass, so that sums are loaded and stored once for all of them: fewer where rows lie apart.
_APART: Final = 4
_TOGETHER: Final = 8


@inlined
def _add_rows(sums: Any, rows: Any, inputs: Any, n: int) -> None:
    """Add the rows of `_APART` inputs from ``inputs[n]`` on, one after another."""
    a, b, c, d = rows[inputs[n]], rows[inputs[n + 1]], rows[inputs[n + 2]], rows[inputs[n + 3]]
    for unit in range(sums.shape[0]):
        sums[unit] = sums[unit] + a[unit] + b[unit] + c[unit] + d[unit]


@inlined
def _add_products(sums: Any, rows: Any, by: Any, n: int) -> None:
    """Add the products of `_TOGETHER` rows from ``rows[n]`` on and of as many values of ``by``, one after another."""
    a, b, c, d, e, f, g, h = (
        rows[n],
        rows[n + 1],
        rows[n + 2],
        rows[n + 3],
        rows[n + 4],
        rows[n + 5],
        rows[n + 6],
        rows[n + 7],
    )
    s, t, u, v, w, x, y, z = (
        by[n],
        by[n + 1],
        by[n + 2],
        by[n + 3],
        by[n + 4],
        by[n + 5],
        by[n + 6],
        by[n + 7],
    )
    for k in range(sums.shape[0]):
        half = sums[k] + s * a[k] + t * b[k] + u * c[k] + v * d[k]
        sums[k] = half + w * e[k] + x * f[k] + y * g[k] + z * h[k]


@inlined
def output_of(network: Network, inputs: Any, count: int, work: Workspace) -> Any:
    """The output, float32, for the first ``count`` of ``inputs`` (n,), by two hidden layers of rectified linear units, whose values
    ``work`` holds afterwards. Sums are formed in a fixed order, so that results are equal on every machine.
    """
    first, second = work.first, work.second
    width, narrow = first.shape[0], second.shape[0]
    for unit in range(width):
        first[unit] = network.first_bias[unit]
    whole = count - count % _APART
    for number in range(0, whole, _APART):
        _add_rows(first, network.first, inputs, number)
    for number in range(whole, count):
        row = network.first[inputs[number]]
        for unit in range(width):
            first[unit] += row[unit]
    for unit in range(width):
        first[unit] = max(first[unit], np.float32(0))
    for unit in range(narrow):
        second[unit] = network.second_bias[unit]
    whole = width - width % _TOGETHER
    for unit in range(0, whole, _TOGETHER):
        _add_products(second, network.second, first, unit)
    for unit in range(whole, width):
        row = network.second[unit]
        for other in range(narrow):
            second[other] += first[unit] * row[other]
    output = network.third_bias[0]
    for unit in range(narrow):
        second[unit] = max(second[unit], np.float32(0))
        output += second[unit] * network.third[unit]
    return output
