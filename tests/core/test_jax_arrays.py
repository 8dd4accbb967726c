"""How arrays of a batch become JAX's.

Without the extra ``[jax]`` these tests are skipped, with a notice.
"""

from __future__ import annotations

import numpy as np
import pytest

from tkm_env import Batch

pytest.importorskip("jax", reason="needs the extra [jax]")

import jax
import jax.numpy as jnp


def test_copies_by_jax_stay_as_they_were_when_the_batch_goes_on() -> None:
    batch = Batch(64)
    observations = batch.new_observations()
    batch.step(batch.random_actions(), observations)
    shared = {
        "masks": batch.masks,
        "results": batch.results,
        "to_act": batch.to_act,
        "observations": observations,
    }
    before = {name: array.copy() for name, array in shared.items()}
    taken = {name: jnp.array(array) for name, array in shared.items()}
    taken["observations"] = jnp.array(jax.dlpack.from_dlpack(observations)).block_until_ready()
    for _ in range(5):
        batch.step(batch.random_actions(), observations)
    assert not np.array_equal(observations, before["observations"])
    assert all(np.array_equal(taken[name], before[name]) for name in before)
    with pytest.raises(BufferError):
        jax.dlpack.from_dlpack(batch.masks)
