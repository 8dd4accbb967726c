"""Trained policies as players: multilayer perceptrons in files, evaluated by NumPy.

A policy acts in many games at once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import OPPONENT, draw_from, new_stream
from tkm_env.core.agent import game_over_error
from tkm_env.core.observation_encoder import (
    COMPACT,
    OBSERVATIONS,
    PLANES,
    ObservationEncoder,
    ObservationEncoders,
)
from tkm_env.core.registry import default_game, game_spec
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.checks import as_array, checked_choice, checked_number
from tkm_env.foundations.errors import ArrayError, ConfigError, FileError, repr_of
from tkm_env.foundations.files import content_of, parsed_json
from tkm_env.players.model_file import Model, ModelCard, read_model, write_model
from tkm_env.players.player_spec import PlayerKind, PlayerRequest

if TYPE_CHECKING:
    from tkm_env.core.batch import BaseBatch

_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
#: The kind on the card of a policy.
KIND: Final = "policy"
#: The functions that may be applied between layers.
ACTIVATIONS: Final[Mapping[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]]] = (
    MappingProxyType({"tanh": np.tanh, "relu": lambda values: np.maximum(values, 0)})
)
#: The number of games whose observations are in memory at once.
_AT_ONCE: Final = 4096
#: Random numbers are drawn below this, so that a share of a sum stays below the sum even when
#: rounded.
_DRAWS: Final = 2**32
#: The number of characters of a digest, of four bits each.
_LONGEST_DIGEST: Final = 16
_HIGHEST_TEMPERATURE: Final = 1e6

#: The weights of a layer, of shape (inputs, outputs), and its biases, of shape (outputs,).
_Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


def write_policy(
    path: str | os.PathLike[str],
    layers: Sequence[Any],
    *,
    activation: str = "tanh",
    game: str | None = None,
    observation: str = PLANES,
    **settings: Any,
) -> None:
    """Write a policy to a file that is a player: ``policy:FILE``.

    A policy is a multilayer perceptron from the flattened observation of the player to act to a
    logit for each action, stored as float16.

    Args:
        path: the file.
        layers: pairs of weights, of shape (inputs, outputs), and biases, of shape (outputs,).
        activation: the function after each layer but the last: ``"tanh"`` or ``"relu"``.
        game: the name of the game; None for the first in the registry.
        observation: what the policy sees: ``"planes"`` or ``"compact"``, as in
            `tkm_env.core.observation_encoder.ObservationEncoder`.
        **settings: the keywords of the game's config with which it learned.

    Raises:
        ConfigError: naming the argument that is invalid.
        ArrayError: naming the array that has the wrong shape, or does not hold numbers.
        FileError: if the file cannot be written, or a number is beyond the range of float16.

    >>> import tempfile
    >>> from tkm_env import Game
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/first.npz"
    ...     write_policy(path, [(np.zeros((160, 79)), -np.arange(79))], observation="compact")
    ...     PolicyAgent(path).act(Game())
    0
    """
    checked_choice("activation", activation, ACTIVATIONS)
    if not isinstance(layers, Sequence) or isinstance(layers, str) or not layers:
        raise ConfigError(
            "layers", layers, "it must be a list of pairs of weights and biases, with at least one"
        )
    spec = game_spec(default_game() if game is None else game)
    encoder = ObservationEncoder(spec.game_class, spec.config(settings), observation)
    arrays: dict[str, NDArray[np.float32]] = {}
    for number, layer in enumerate(layers):
        if not isinstance(layer, (tuple, list)) or len(layer) != 2:
            raise ConfigError("layers", layer, "each must be a pair of weights and biases")
        for name, given in zip(_array_names(number), layer, strict=True):
            array = as_array(given)
            if array.dtype.kind not in "fiu":
                raise ArrayError(name, f"dtype {array.dtype}", "numbers")
            with np.errstate(over="ignore"):  # `write_model` refuses numbers that are too large
                arrays[name] = array.astype(np.float32)
    _layers_of(arrays, encoder)
    changed, outputs = (
        json.dumps(changed_settings(encoder.config)),
        _describe_outputs(spec.game_class),
    )
    card = ModelCard(
        KIND, spec.name, _describe_inputs(encoder), changed, outputs=outputs, activation=activation
    )
    write_model(path, Model(card, arrays))


class PolicyAgent:
    """Plays a policy from a file.

    `write_policy` and `tkm_env.learn.export_policy.save_policy` write such files.

    Args:
        file: the file's name.
        game: the name of the game that it will play; None for the one that it learned.
        temperature: None plays the legal action with the highest logit. A number, above 0 and at
            most 1,000,000, draws an action in proportion to the exponential of its logit divided by
            that number.
        seed: where its random numbers come from; None draws a seed from the system.

    Attributes:
        card: the file's card.
        name: ``"policy"``, the file's name, and the temperature if there is one.

    Raises:
        FileError: if the file cannot be read, is damaged, or holds no policy for this game and this
            version of the package.
        ConfigError: if the temperature or the seed is invalid.
    """

    draws_from_streams: ClassVar = True

    def __init__(
        self,
        file: str | os.PathLike[str],
        game: str | None = None,
        *,
        temperature: float | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        self._temperature = (
            None
            if temperature is None
            else checked_number("temperature", temperature, high=_HIGHEST_TEMPERATURE)
        )
        self.reset(seed)
        wanted = None if game is None else game_spec(game).name
        self.card, arrays = read_model(file)
        if self.card.kind != KIND or wanted not in (None, self.card.game):
            wrong = f"{self.card.kind} for {self.card.game}"
            raise FileError(
                file,
                f"it holds {repr_of(wrong)}, not a policy"
                + ("" if wanted is None else f" for {wanted}"),
            )
        with content_of(file):
            self._learned = _encoder_of(self.card)
            self._layers = _layers_of(arrays, self._learned)
        self._activation = ACTIVATIONS[self.card.activation]
        self._encoders = ObservationEncoders(
            PLANES if self._learned.gather_plan is None else COMPACT
        )
        #: The settings that have been checked.
        self._checked: Any = None
        self.name = f"policy {os.fspath(file)}" + (
            "" if temperature is None else f" temperature={temperature:g}"
        )

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Start a new stream of random numbers from ``seed``."""
        self._stream = new_stream(seed)

    def check_settings(self, config: Any) -> None:
        """Check that games under these settings are observed as the policy learned.

        Raises:
            ConfigError: naming the first element of an observation that differs.
        """
        self._encoder_for(self._learned.game_class, config)

    def act(self, game: Any) -> int:
        """The policy's action.

        Raises:
            ConfigError: if it did not learn this game, or these settings.
            IllegalActionError: if the game is over.
        """
        encoder = self._encoder_for(type(game), game.config)
        encoder.check(game, "game", game)
        mask = game.action_mask()
        if not mask.any():
            raise game_over_error()
        draw = 0 if self._temperature is None else draw_from(self._stream, _DRAWS)
        return int(self._choose(encoder.observation(game)[None], mask[None], np.array([draw]))[0])

    def probabilities(self, game: Any) -> dict[int, float]:
        """The probability of each action that it may play, by index.

        Raises:
            ConfigError: if it did not learn this game, or these settings.
        """
        encoder = self._encoder_for(type(game), game.config)
        logits = self._logits(encoder.observation(game)[None], game.action_mask()[None])
        if self._temperature is None:
            return {int(logits[0].argmax()): 1.0}
        weights = self._weights(logits)[0]
        shares: list[float] = (weights / weights.sum()).tolist()
        return {action: share for action, share in enumerate(shares) if share}

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The policy's actions in some games of a batch.

        Random numbers come from the games' own streams.

        Args:
            batch: the games.
            indices: the games in which to act: int64 of shape (k,).

        Returns:
            The indices of the actions: int64 of shape (k,).

        Raises:
            ConfigError: if it did not learn this game, or these settings.
        """
        encoder = self._encoder_for(batch.game_class, batch.config)
        draws = np.zeros(batch.num_games, np.int64)
        if self._temperature is not None:
            acting = np.zeros(batch.num_games, np.bool_)
            acting[indices] = True
            draws[acting] = batch.draw(acting, _DRAWS, OPPONENT)
        actions = np.empty(len(indices), np.int64)
        for begin in range(0, len(indices), _AT_ONCE):
            some = indices[begin : begin + _AT_ONCE]
            observations = batch.observations_of(some, batch.to_act[some], encoder)
            actions[begin : begin + _AT_ONCE] = self._choose(
                observations, batch.masks[some], draws[some]
            )
        return actions

    def _encoder_for(self, game_class: type[Any], config: Any) -> ObservationEncoder:
        """The encoder of games under these settings.

        Raises:
            ConfigError: if their observations are not those that the policy learned.
        """
        if game_class is not self._learned.game_class:
            raise ConfigError(
                "game",
                game_class.name,
                f"the policy {self.name} learned {self._learned.game_class.name}",
            )
        encoder = self._encoders.on(game_class, config)
        if self._checked is not encoder:
            if _describe_inputs(encoder) != self.card.inputs:
                learned = changed_settings(self._learned.config) or "the default ones"
                difference = _difference(self._learned, encoder)
                reason = f"the policy learned with {learned}, where {difference}"
                raise ConfigError("settings", changed_settings(config), reason)
            self._checked = encoder
        return encoder

    def _choose(
        self, observations: NDArray[Any], masks: NDArray[np.int8], draws: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """A legal action for each observation."""
        logits = self._logits(observations, masks)
        if self._temperature is None:
            actions: NDArray[np.int64] = logits.argmax(1)
        else:
            sums = self._weights(logits).cumsum(1)
            actions = (sums > sums[:, -1:] * (draws[:, None] / _DRAWS)).argmax(1)
        return actions

    def _logits(self, observations: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """The logits of all actions for each observation; minus infinity for illegal actions."""
        values = observations.reshape(len(observations), -1).astype(np.float32, copy=False)
        # Whatever the weights, the action is legal.
        with np.errstate(over="ignore", invalid="ignore"):
            for number, (weight, bias) in enumerate(self._layers):
                values = values @ weight + bias
                if number < len(self._layers) - 1:
                    values = self._activation(values)
        return np.where(masks != 0, np.nan_to_num(values.astype(np.float64)), -np.inf)

    def _weights(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers in proportion to the probabilities of actions at the temperature."""
        with np.errstate(over="ignore"):
            weights: NDArray[np.float64] = np.exp(
                (logits - logits.max(1, keepdims=True)) / (self._temperature or 1)
            )
        return weights


def _array_names(number: int) -> tuple[str, str]:
    """The names of a layer's arrays in the file."""
    return f"weight_{number}", f"bias_{number}"


def _layers_of(
    arrays: Mapping[str, NDArray[np.float32]], encoder: ObservationEncoder
) -> list[_Layer]:
    """The layers of a policy with these observations.

    Raises:
        ArrayError: if their shapes do not fit together.
    """
    names = [_array_names(number) for number in range(max(1, len(arrays) // 2))]
    if set(arrays) != {name for pair in names for name in pair}:
        raise ArrayError(
            "layers", f"arrays {', '.join(arrays)}", "weight_0, bias_0, weight_1, bias_1 and so on"
        )
    layers = [(arrays[weight], arrays[bias]) for weight, bias in names]
    width, actions = encoder.high.size, len(encoder.game_class.action_names)
    for number, (weight, bias) in enumerate(layers):
        wide = actions if number == len(layers) - 1 else weight.shape[-1] if weight.ndim else 0
        for name, array, shape in zip(
            names[number], (weight, bias), ((width, wide), (wide,)), strict=True
        ):
            if array.shape != shape:
                what = (
                    f"{width} inputs and {actions} actions"
                    if len(layers) == 1
                    else f"{width} inputs"
                )
                raise ArrayError(name, f"shape {array.shape}", f"shape {shape}, for {what}")
        width = wide
    return layers


def _encoder_of(card: ModelCard) -> ObservationEncoder:
    """The encoder of the observations from which a policy learned.

    Raises:
        ConfigError: if this version of the package has another.
    """
    checked_choice("activation", card.activation, ACTIVATIONS)
    spec = game_spec(card.game)
    try:
        settings = parsed_json(card.settings.encode("utf-8"))
    except ValueError as error:
        raise ConfigError("settings", card.settings, str(error)) from None
    observation = card.inputs.partition("-")[0]
    if observation not in OBSERVATIONS:
        raise ConfigError(
            "inputs",
            card.inputs,
            f"they must be {' or '.join(OBSERVATIONS)}, with a digest of their layout",
        )
    encoder = ObservationEncoder(spec.game_class, spec.config(settings), observation)
    for name, given, ours in (
        ("inputs", card.inputs, _describe_inputs(encoder)),
        ("outputs", card.outputs, _describe_outputs(spec.game_class)),
    ):
        if given != ours:
            raise ConfigError(name, given, f"in this version of the package they are {ours!r}")
    return encoder


def _describe_inputs(encoder: ObservationEncoder) -> str:
    """The kind of an observation, with a digest of its elements, their sources and ranges."""
    kind, own = (
        (PLANES if encoder.gather_plan is None else COMPACT),
        encoder.game_class.observation_high,
    )
    if kind == PLANES:
        encoder = ObservationEncoder(encoder.game_class, encoder.game_class.default_config, COMPACT)
    rows = [(row.name, row.era, row.length, row.high) for row in encoder.rows]
    bounds: list[int] = own.ravel().tolist() if kind == PLANES else []
    return f"{kind}-{_digest([own.shape, bounds, rows, encoder.elements.tolist()])}"


def _describe_outputs(game_class: type[Any]) -> str:
    """A digest of the names of the actions."""
    return f"actions-{_digest(game_class.action_names)}"


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content).encode("utf-8")).hexdigest()[:_LONGEST_DIGEST]


def _difference(learned: ObservationEncoder, current: ObservationEncoder) -> str:
    """The first element in which two compact observations differ."""
    before, now = ([*_elements(encoder), "missing"] for encoder in (learned, current))
    place = next(
        number for number, (one, other) in enumerate(zip(before, now, strict=False)) if one != other
    )
    return f"element {place} of the observation is {before[place]}; here it is {now[place]}"


def _elements(encoder: ObservationEncoder) -> list[str]:
    """A description of each element of a compact observation."""
    names = [
        row.name if row.era is None else f"{row.name}, {row.era}"
        for row in encoder.rows
        for _ in range(row.length)
    ]
    return [
        f"{name!r} ({element} of the game's own observation)"
        for name, element in zip(names, encoder.elements.tolist(), strict=True)
    ]


class _PolicyKind(PlayerKind):
    """Players described by ``policy:FILE``."""

    form = "FILE"

    def split(self, text: str) -> tuple[str, str]:
        """Split at the first colon up to which there is a file; a drive's colon does not count."""
        ends = [place for place, letter in enumerate(text) if letter == ":"] + [len(text)]
        drive = 2 if _DRIVE.match(text) else 0
        end = next(
            (end for end in ends if os.path.isfile(text[:end])),
            next(end for end in ends if end >= drive),
        )
        return text[:end], text[end + 1 :]

    def make(self, request: PlayerRequest) -> PolicyAgent:
        policy: PolicyAgent = request.build(PolicyAgent, request.spec.subject, request.game)
        if request.config is not None:
            policy.check_settings(request.config)
        return policy


PLAYER_KIND: Final = _PolicyKind()
