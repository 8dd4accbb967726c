"""The sparse network: what the compiled sum gives is what the formula says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.compiled.networks import outputs_of
from tkm_env.compiled.network import NO_NETWORK, Network, new_workspace
from tkm_env.learn.regression import new_network


@pytest.mark.parametrize(("width", "narrow"), [(1, 1), (64, 32), (20, 3)])
def test_the_output_is_that_of_two_hidden_layers_of_rectified_units(
    width: int, narrow: int
) -> None:
    generator = np.random.default_rng(1)
    network = new_network(100, width, narrow, generator)
    network = Network(
        *(array + generator.normal(size=array.shape).astype(np.float32) * 0.1 for array in network)
    )
    for count in range(12):
        on = generator.choice(100, count, replace=False).astype(np.int16)
        first = np.maximum(network.first[on].sum(0) + network.first_bias, 0)
        second = np.maximum(first @ network.second + network.second_bias, 0)
        wanted = second @ network.third + network.third_bias[0]
        output = np.zeros(1, np.float32)
        outputs_of(
            network,
            np.append(on, np.int16(-1))[None],
            np.array([count]),
            output,
            new_workspace(network),
        )
        assert output[0] == pytest.approx(wanted, rel=1e-4, abs=1e-5)


def test_a_network_in_place_of_none_has_no_inputs() -> None:
    assert all(array.size == 0 for array in NO_NETWORK)
