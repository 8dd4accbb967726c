"""The compiled network, called from Python."""

from typing import Any

from tkm_env.compiled.decorators import kernel
from tkm_env.compiled.network import output_of


@kernel
def outputs_of(network: Any, inputs: Any, counts: Any, outputs: Any, work: Any) -> None:
    """Write the output for each row of ``inputs`` (n, most inputs) to ``outputs`` (n,) float32.

    ``counts`` (n,) of the inputs in each row are active.
    """
    for number in range(outputs.shape[0]):
        outputs[number] = output_of(network, inputs[number], counts[number], work)
