"""Regression: the compiled steps are Adam's, on the right gradient, and they learn."""

from __future__ import annotations

import numpy as np
import pytest

from tkm_env.compiled.network import Network
from tkm_env.learn.regression import learn, new_learner, new_network
from tkm_env.learn.value_game import Samples

INPUTS, COMPANIONS = 12, 3
#: Three inputs share a row each with one of three others.
SHARED = np.full(INPUTS, -1, np.int32)
SHARED[[3, 4, 5]] = SHARED[[9, 10, 11]] = [12, 13, 14]


def samples(number: int, generator: np.random.Generator) -> Samples:
    inputs = np.array([generator.choice(INPUTS, 4, replace=False) for _ in range(number)], np.int16)
    counts = generator.integers(1, 5, number).astype(np.int16)
    targets = generator.uniform(-1, 1, number).astype(np.float32)
    return Samples(inputs, counts, targets, np.ones(number, np.int64))


def loss(
    weights: np.ndarray, like: Network, found: Samples, which: list[int], image: np.ndarray
) -> float:
    """The cross-entropy of winning chances, in float64, from all weights in one row."""
    ends = np.cumsum([array.size for array in like])
    parts = [
        part.reshape(array.shape)
        for part, array in zip(np.split(weights, ends[:-1]), like, strict=True)
    ]
    first, first_bias, second, second_bias, third, third_bias = parts
    total = 0.0
    for sample in which:
        on = image[found.inputs[sample, : found.counts[sample]]]
        rows = [*on, *(SHARED[on][SHARED[on] >= 0])]
        hidden = np.maximum(
            np.maximum(first[rows].sum(0) + first_bias, 0) @ second + second_bias, 0
        )
        value = np.tanh(hidden @ third + third_bias[0])
        chance, wanted = (1 + value) / 2, (1 + float(found.targets[sample])) / 2
        total -= wanted * np.log(chance) + (1 - wanted) * np.log(1 - chance)
    return total / len(which)


def gradient(weights: np.ndarray, *given: object) -> np.ndarray:
    """The gradient by finite differences."""
    slopes = np.zeros_like(weights)
    for number in range(len(weights)):
        ends = []
        for change in (1e-6, -1e-6):
            moved = weights.copy()
            moved[number] += change
            ends.append(loss(moved, *given))
        slopes[number] = (ends[0] - ends[1]) / 2e-6
    return slopes


def flat(network: Network) -> np.ndarray:
    return np.concatenate([array.ravel() for array in network]).astype(float)


def test_two_batches_are_two_steps_of_adam() -> None:
    generator = np.random.default_rng(3)
    found = samples(8, generator)
    network = new_network(INPUTS + COMPANIONS, 5, 4, generator)
    image = generator.permutation(INPUTS).astype(np.int16)
    weights, mean, square = flat(network), 0.0, 0.0
    for step, which in enumerate(([0, 1, 2, 3], [4, 5, 6, 7]), 1):
        slopes = gradient(weights, network, found, which, image)
        seen = flat(Network(*(np.ones_like(array) for array in network))).astype(bool)
        rows = {
            row
            for sample in which
            for row in image[found.inputs[sample, : found.counts[sample]]].tolist()
        }
        rows |= {int(SHARED[row]) for row in rows if SHARED[row] >= 0}
        seen[: network.first.size] = np.repeat(
            [row in rows for row in range(INPUTS + COMPANIONS)], 5
        )
        mean = np.where(seen, 0.9 * mean + 0.1 * slopes, mean)
        square = np.where(seen, 0.999 * square + 0.001 * slopes**2, square)
        corrected = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = np.where(seen, weights - 0.01 * corrected, weights)
    learner = new_learner(network, 16)
    learn(learner, found, np.arange(8), np.zeros(8, np.int64), 4, 0.01, image[None], SHARED)
    assert flat(network) == pytest.approx(weights, abs=2e-4)


def test_the_error_falls() -> None:
    generator = np.random.default_rng(4)
    found = samples(400, generator)
    truth = generator.normal(size=INPUTS)
    sums = [truth[found.inputs[sample, : found.counts[sample]]].sum() for sample in range(400)]
    found = found._replace(targets=np.tanh(0.5 * np.array(sums)).astype(np.float32))
    learner = new_learner(new_network(INPUTS + COMPANIONS, 16, 8, generator), 16)
    nothing = np.arange(INPUTS, dtype=np.int16)[None]
    errors = [
        learn(
            learner,
            found,
            generator.permutation(400),
            np.zeros(400, np.int64),
            20,
            0.01,
            nothing,
            SHARED,
        )
        for _ in range(60)
    ]
    assert errors[0] > 0.1
    assert errors[-1] < 0.005
