"""Write policies trained with PyTorch to files that play without it.

Needs torch, from the extra ``[train]``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import torch

from tkm_env.core.observation_encoder import PLANES
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.policy import ACTIVATIONS, write_policy

#: PyTorch's modules for `ACTIVATIONS`.
_ACTIVATIONS: Final = {torch.nn.Tanh: "tanh", torch.nn.ReLU: "relu"}
#: The policies whose logits come from ``mlp_extractor.policy_net`` and ``action_net``.
_POLICIES: Final = {
    ("stable_baselines3.common.policies", "ActorCriticPolicy"),
    ("sb3_contrib.common.maskable.policies", "MaskableActorCriticPolicy"),
}


def save_policy(
    path: str | os.PathLike[str],
    model: Any,
    *,
    game: str | None = None,
    observation: str = PLANES,
    **settings: Any,
) -> None:
    """Write a model's policy to a file that plays as ``policy:FILE``.

    The format is that of `tkm_env.players.write_policy`.

    Args:
        path: the file.
        model: a model of Stable-Baselines3 or sb3-contrib with an actor-critic ``"MlpPolicy"``,
            such as PPO and MaskablePPO; or a `torch.nn.Sequential` that alternates Linear with
            either Tanh or ReLU, may begin with a Flatten, and maps an observation to a logit for
            each action.
        game: the name of the game; None for the first in the registry.
        observation: the model's observations: ``"planes"`` or ``"compact"``.
        **settings: the keywords of the game's config in training.

    Raises:
        ConfigError: naming the argument that is invalid, or the part of the model that such a file
            cannot hold.
        ArrayError: naming the layer that does not fit the observations or the actions.
        FileError: if the file cannot be written, or a number does not fit float16.

    >>> import tempfile
    >>> from tkm_env.players import make_agent
    >>> layers = torch.nn.Linear(160, 32), torch.nn.Tanh(), torch.nn.Linear(32, 79)
    >>> network = torch.nn.Sequential(*layers)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_policy(f"{folder}/mine.npz", network, observation="compact")
    ...     make_agent(f"policy:{folder}/mine.npz").card.inputs[:7]
    'compact'
    """
    modules = [*_modules(model if isinstance(model, torch.nn.Module) else _network_of(model))]
    if modules and type(modules[0]) is torch.nn.Flatten:
        if (modules[0].start_dim, modules[0].end_dim) != (1, -1):
            raise ConfigError("model", modules[0], "it must flatten whole observations")
        del modules[0]
    for number, module in enumerate(modules):
        if number % 2 == 0 and type(module) is not torch.nn.Linear:
            raise ConfigError("model", module, "a Linear must stand here")
        if number % 2 == 1 and (
            type(module) not in _ACTIVATIONS or type(module) is not type(modules[1])
        ):
            kinds = " or ".join(kind.__name__ for kind in _ACTIVATIONS)
            raise ConfigError(
                "model",
                module,
                f"each Linear but the last must be followed by {kinds}, always the same one",
            )
    layers, between = modules[::2], modules[1::2]
    if len(layers) != len(between) + 1:
        raise ConfigError(
            "model", model, "its last layer must be a Linear, with a logit for each action"
        )
    write_policy(
        path,
        [_arrays_of(layer) for layer in layers],
        activation=_ACTIVATIONS[type(between[0])] if between else next(iter(ACTIVATIONS)),
        game=game,
        observation=observation,
        **settings,
    )


def _modules(network: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """The modules of a network in order, those of nested `torch.nn.Sequential` too."""
    if type(network) is not torch.nn.Sequential:
        yield network
        return
    for module in network:
        yield from _modules(module)


def _network_of(model: Any) -> torch.nn.Module:
    """The network of a model of Stable-Baselines3 or sb3-contrib."""
    policy = getattr(model, "policy", None)
    kind = type(policy)
    if (kind.__module__, kind.__qualname__) not in _POLICIES:
        raise ConfigError(
            "model",
            model,
            "it must be a torch.nn.Sequential, or a model with an actor-critic 'MlpPolicy', "
            f"not {kind.__name__}",
        )
    assert policy is not None
    normalizing = model.get_vec_normalize_env()
    if normalizing is not None and normalizing.norm_obs:
        raise ConfigError(
            "model",
            model,
            "its observations pass through a VecNormalize; train with norm_obs=False",
        )
    for part, wanted in (
        (policy.pi_features_extractor, "FlattenExtractor"),
        (policy.mlp_extractor, "MlpExtractor"),
    ):
        if type(part).__name__ != wanted:
            raise ConfigError("model", part, f"a {wanted} must stand here")
    return torch.nn.Sequential(policy.mlp_extractor.policy_net, policy.action_net)


def _arrays_of(layer: torch.nn.Linear) -> tuple[Any, Any]:
    """The weights of a layer, of shape (inputs, outputs), and its biases, of shape (outputs,)."""
    weight = layer.weight.detach().float().cpu().numpy().T
    if layer.bias is None:
        return weight, np.zeros(layer.out_features)
    return weight, layer.bias.detach().float().cpu().numpy()
