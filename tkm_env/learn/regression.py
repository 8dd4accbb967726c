"""Compiled regression of a network's output on targets, by minibatches over sparse inputs.

The optimiser is Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015).
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, nogil_kernel
from tkm_env.compiled.network import Network, Workspace, new_workspace, output_of

# Adam's constants: beta 1, beta 2 and epsilon.
_MEAN: Final = np.float32(0.9)
_SQUARE: Final = np.float32(0.999)
_TINY: Final = np.float32(1e-8)

# The bound of the first layer's initial weights, and its initial biases.
_ROW: Final = 0.05
_BIAS: Final = 0.1


class AdamState(NamedTuple):
    """Everything that `learn` writes to."""

    network: Network
    gradient: Network
    means: Network  # of the gradients, decaying
    squares: Network  # of the gradients, decaying
    steps: NDArray[np.int64]  # (1,): batches so far
    touched: NDArray[np.int64]  # (inputs,): the last batch in which a row was active
    rows: NDArray[np.int64]  # (inputs,): the active rows of this batch
    inputs: NDArray[np.int32]  # (n,): the active inputs of a sample, with the rows they share
    hidden: Workspace
    back: Workspace


def new_network(inputs: int, width: int, narrow: int, generator: np.random.Generator) -> Network:
    """Make an untrained network.

    The weights of its first layer are small and uniform; those of the others follow He et al.
    ("Delving deep into rectifiers", 2015).

    Args:
        inputs: the number of inputs.
        width: the units of the first hidden layer.
        narrow: the units of the second.
        generator: draws the weights.

    Returns:
        The network.
    """

    def normal(shape: tuple[int, ...], fan_in: int) -> NDArray[np.float32]:
        return (generator.normal(size=shape) * math.sqrt(2 / fan_in)).astype(np.float32)

    return Network(
        generator.uniform(-_ROW, _ROW, (inputs, width)).astype(np.float32),
        np.full(width, _BIAS, np.float32),
        normal((width, narrow), width),
        np.zeros(narrow, np.float32),
        normal((narrow,), 2 * narrow),
        np.zeros(1, np.float32),
    )


def new_learner(network: Network, most_inputs: int) -> AdamState:
    """Make a learner.

    Args:
        network: the network, which is trained in place.
        most_inputs: the most rows that a sample activates, shared ones included.

    Returns:
        The network with Adam's state.
    """

    def zeros() -> Network:
        return Network(*map(np.zeros_like, network))

    rows = len(network.first)
    return AdamState(
        network,
        zeros(),
        zeros(),
        zeros(),
        np.zeros(1, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(most_inputs, np.int32),
        new_workspace(network),
        new_workspace(network),
    )


@inlined
def _descend(weights: Any, gradient: Any, means: Any, squares: Any, rate: Any, size: Any) -> None:
    """Take a step of Adam for a row of weights, with ``size`` times its gradient.

    The gradient is cleared.
    """
    for number in range(weights.shape[0]):
        slope = gradient[number] * size
        gradient[number] = np.float32(0)
        means[number] = _MEAN * means[number] + (np.float32(1) - _MEAN) * slope
        squares[number] = _SQUARE * squares[number] + (np.float32(1) - _SQUARE) * slope * slope
        weights[number] -= rate * means[number] / (np.float32(math.sqrt(squares[number])) + _TINY)


@inlined
def _gather(learner: AdamState, inputs: Any, count: int, image: Any, factorized_inputs: Any) -> int:
    """Gather a sample's inputs under a symmetry, and the rows that they share; count them."""
    total = 0
    for number in range(count):
        row = image[inputs[number]]
        learner.inputs[total] = row
        total += 1
        if factorized_inputs[row] >= 0:
            learner.inputs[total] = factorized_inputs[row]
            total += 1
    return total


@inlined
def _mark(learner: AdamState, count: int, rows: int) -> int:
    """Add the ``count`` gathered inputs to the batch's active rows; return their new number."""
    for number in range(count):
        row = learner.inputs[number]
        if learner.touched[row] != learner.steps[0]:
            learner.touched[row] = learner.steps[0]
            learner.rows[rows] = row
            rows += 1
    return rows


@inlined
def _back_propagate(learner: AdamState, count: int, slope: Any) -> None:
    """Add the gradient of a sample, whose output has this ``slope``, to that of the batch."""
    network, gradient, hidden, back = (
        learner.network,
        learner.gradient,
        learner.hidden,
        learner.back,
    )
    width, narrow = hidden.first.shape[0], hidden.second.shape[0]
    gradient.third_bias[0] += slope
    for unit in range(narrow):
        gradient.third[unit] += slope * hidden.second[unit]
        back.second[unit] = (
            slope * network.third[unit] if hidden.second[unit] > np.float32(0) else np.float32(0)
        )
        gradient.second_bias[unit] += back.second[unit]
    for unit in range(width):
        value = hidden.first[unit]
        back.first[unit] = np.float32(0)
        if value > np.float32(0):
            row, slopes = network.second[unit], gradient.second[unit]
            total = np.float32(0)
            for other in range(narrow):
                slopes[other] += value * back.second[other]
                total += row[other] * back.second[other]
            back.first[unit] = total
            gradient.first_bias[unit] += total
    for number in range(count):
        slopes = gradient.first[learner.inputs[number]]
        for unit in range(width):
            slopes[unit] += back.first[unit]


@inlined
def _step(learner: AdamState, rows: int, rate: float, size: int) -> None:
    """Take a step of Adam with the gradient of a batch of ``size`` samples."""
    step = learner.steps[0]
    corrected = np.float32(rate * math.sqrt(1.0 - _SQUARE**step) / (1.0 - _MEAN**step))
    share = np.float32(1.0 / size)
    network, gradient, means, squares = (
        learner.network,
        learner.gradient,
        learner.means,
        learner.squares,
    )
    for number in range(rows):
        row = learner.rows[number]
        _descend(
            network.first[row],
            gradient.first[row],
            means.first[row],
            squares.first[row],
            corrected,
            share,
        )
    _descend(
        network.first_bias,
        gradient.first_bias,
        means.first_bias,
        squares.first_bias,
        corrected,
        share,
    )
    for unit in range(network.second.shape[0]):
        _descend(
            network.second[unit],
            gradient.second[unit],
            means.second[unit],
            squares.second[unit],
            corrected,
            share,
        )
    _descend(
        network.second_bias,
        gradient.second_bias,
        means.second_bias,
        squares.second_bias,
        corrected,
        share,
    )
    _descend(network.third, gradient.third, means.third, squares.third, corrected, share)
    _descend(
        network.third_bias,
        gradient.third_bias,
        means.third_bias,
        squares.third_bias,
        corrected,
        share,
    )


@nogil_kernel
def learn(
    learner: AdamState,
    samples: Any,
    order: Any,
    chosen: Any,
    batch: int,
    rate: float,
    images: Any,
    factorized_inputs: Any,
) -> float:
    """Train on samples, with a step of Adam after each batch.

    The loss is the cross-entropy of winning chances, so that a network that is confident and wrong
    still learns.

    Args:
        learner: the learner, which is changed.
        samples: `tkm_env.learn.value_game.Samples`.
        order: (n,) int64: the indices of the samples, in the order in which they are learned from.
        chosen: (n,) int64: the index of the symmetry under which each is seen.
        batch: the number of samples in a batch; the last one may have fewer.
        rate: the learning rate.
        images: (symmetries, inputs) int16: each input under each symmetry.
        factorized_inputs: (inputs,) int32: the row that each input shares with others, or -1.

    Returns:
        The mean squared error of the values, from -1 to 1.
    """
    total = 0.0
    rows = 0
    in_batch = 0
    learner.steps[0] += 1
    for number in range(order.shape[0]):
        sample = order[number]
        count = _gather(
            learner,
            samples.inputs[sample],
            samples.counts[sample],
            images[chosen[number]],
            factorized_inputs,
        )
        rows = _mark(learner, count, rows)
        value = np.float32(
            math.tanh(output_of(learner.network, learner.inputs, count, learner.hidden))
        )
        slope = value - samples.targets[sample]
        total += slope * slope
        _back_propagate(learner, count, slope)
        in_batch += 1
        if in_batch == batch or number == order.shape[0] - 1:
            _step(learner, rows, rate, in_batch)
            learner.steps[0] += 1
            rows = 0
            in_batch = 0
    return float(total / order.shape[0])
