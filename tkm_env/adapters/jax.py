"""Registered games as pure functions for JAX, inside ``jit``, ``vmap`` and ``scan``.

Needs the extra ``[jax]``. On CPUs, XLA calls the compiled rules itself, without Python, through its
foreign function interface. On other devices, or if the interface has a version that this package
does not know, JAX calls back to a `Batch` in Python: the same games, but much slower.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.kernels import NO_ACTION, UNDECIDED
from tkm_env.compiled.random_numbers import CHANCE
from tkm_env.compiled.xla import MAJOR_VERSION, address_of
from tkm_env.core.compiled_batch import CompiledBatch
from tkm_env.core.compiled_game import CompiledGame
from tkm_env.core.initial_positions import InitialPositions
from tkm_env.core.observation_encoder import PLANES, ObservationEncoder
from tkm_env.core.registry import default_game, game_spec
from tkm_env.core.state_arrays import words_of
from tkm_env.foundations.checks import checked_instance
from tkm_env.foundations.errors import ArrayError, ConfigError, extra

with extra("jax"):
    import jax
    import jax.numpy as jnp

#: Held during each call back, since a batch serves one thread at a time.
_CALLS: Final = threading.Lock()


class JaxState(NamedTuple):
    """A position as arrays, a pytree that `JaxEnv` makes.

    With `vmap`, all arrays have leading axes.

    Attributes:
        record: the position as the engine holds it: uint32 of shape (words,).
        legal_action_mask: True for each legal action of the player to act, all False at the end:
            bool of shape (actions,).
        current_player: the index of the player to act; at the end, of the player whose turn ended
            the game: int32 of shape ().
        rewards: what the last action earned each player, which is 1 and -1 if it ended the game
            with a winner, else 0: float32 of shape (2,).
        terminated: whether the game has ended by its rules: bool of shape ().
        truncated: whether the turn limit ended it: bool of shape ().
    """

    record: jax.Array
    legal_action_mask: jax.Array
    current_player: jax.Array
    rewards: jax.Array
    terminated: jax.Array
    truncated: jax.Array

    @property
    def over(self) -> jax.Array:
        """Whether the game is over: bool of shape ()."""
        return self.terminated | self.truncated


class JaxEnv:
    """A game under some settings as pure functions of a single `JaxState`.

    Experimental: it may change in any minor version.

    `jax.vmap` makes them functions of many states.

    Args:
        game: the name of a game; None for the first in the registry.
        observation: ``"planes"`` or ``"compact"``, as for `tkm_env.envs.single.GameEnv`.
        canonical: whether the second player sees the game as if it were the first; actions and
            masks are then numbered for the player to act.
        positions: the texts of the positions to begin from, ``"shipped"`` or None, as for
            `tkm_env.envs.single.GameEnv`. Each must leave nothing to chance.
        **settings: the keywords of the game's config.

    Attributes:
        config: the settings.
        encoder: how players are shown the game.
        num_actions: the number of actions.
        observation_shape: the shape of one observation.
        observation_dtype: the dtype of observations.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value, or if the game is
            not compiled.
        MissingExtraError: at import, without the extra ``[jax]``.

    >>> import jax
    >>> env = JaxEnv(chapters="growth")
    >>> states = jax.vmap(env.init)(jax.random.split(jax.random.key(1), 1000))
    >>> states = jax.jit(jax.vmap(env.step))(states, states.legal_action_mask.argmax(-1))
    >>> states.record.shape, jax.vmap(env.observe)(states).shape
    ((1000, 32), (1000, 84, 4, 4))
    """

    def __init__(
        self,
        game: str | None = None,
        *,
        observation: str = PLANES,
        canonical: bool = False,
        positions: Collection[str] | None = None,
        **settings: Any,
    ) -> None:
        spec = game_spec(default_game() if game is None else game)
        batch_class: Any = spec.parts.batch
        if batch_class is None or not issubclass(batch_class, CompiledBatch):
            raise ConfigError(
                "game", game, "its rules are not compiled, so it has no functions for JAX"
            )
        self.config = spec.config(settings)
        self._make_batch: Callable[..., CompiledBatch[Any]] = batch_class
        self._batch: CompiledBatch[Any] = self._make_batch(1, self.config)
        self.game_class: type[CompiledGame] = self._batch.game_class
        self.encoder = ObservationEncoder(self.game_class, self.config, observation, canonical)
        self.num_actions: int = self._batch.num_actions
        self.observation_shape: tuple[int, ...] = self.encoder.high.shape
        self.observation_dtype: np.dtype[Any] = self.encoder.high.dtype
        starts, chances = (
            self._batch.possible_starts if positions is None else self._given_starts(positions)
        )
        #: Draws what the start of a game leaves to chance; None if that is nothing.
        self._start = self._batch.kernels.xla_start if positions is None else None
        self._starts, self._chances = _records_of(starts), chances.astype(np.float32)
        self._record = jax.ShapeDtypeStruct(self._starts.shape[1:], jnp.uint32)
        self._rewards = self._batch.ends.rewards.astype(np.float32)
        players, numbers = np.indices((2, self.num_actions))
        #: The game's index of each action as each player numbers it; None if these are equal.
        self._own_actions = self.encoder.renumber(numbers, players) if canonical else None

    def _given_starts(
        self, positions: Collection[str]
    ) -> tuple[NDArray[np.void], NDArray[np.float64]]:
        """The states of given positions, which are equally likely."""
        given = InitialPositions(
            self.game_class, self.config, positions=positions, encoder=self.encoder
        )
        for text, complete in zip(given.positions, given.complete, strict=True):
            if not complete:
                reason = (
                    "it leaves something to chance, such as the order of a deck: "
                    "make its states with state_of"
                )
                raise ConfigError("positions", text, reason)
        states = np.concatenate([game.state for game in given.games])
        return states, np.full(len(states), 1 / len(states))

    # The pure functions.

    def init(self, key: Any) -> JaxState:
        """Begin a game; a key of `jax.random` seeds everything left to chance.

        In Terminus, this includes the order of the deck: a search that plays on from a state knows
        the cards to come.
        """
        drawing, seeding = jax.random.split(key)
        number = (
            jax.random.choice(drawing, len(self._chances), p=self._chances)
            if len(self._chances) > 1
            else 0
        )
        record = jnp.asarray(self._starts)[number]
        if self._start is not None:
            seed = jax.random.bits(seeding, (2,), jnp.uint32)
            record = _call(self._start, self._start_rows, self._record)(record, seed)
        return self._state(record, jnp.int32(NO_ACTION), jnp.bool_(False))

    def step(self, state: JaxState, action: Any) -> JaxState:
        """Play an action of the player to act.

        An illegal action, or one that does not exist, loses the game for the player who made it. A
        game that is over stays as it is and earns nothing more.

        Args:
            state: a single state.
            action: an integer of shape (), the action's index as numbered for the player to act.

        Returns:
            The state after the action.

        Raises:
            ArrayError: if the action is not a single integer; many need `jax.vmap`.
        """
        given = jnp.asarray(action)
        if given.shape != () or not jnp.issubdtype(given.dtype, jnp.integer):
            raise ArrayError(
                "action",
                f"shape {given.shape} and dtype {given.dtype}",
                "a single integer; use jax.vmap for many",
            )
        exists = (given >= 0) & (given < self.num_actions)
        number = jnp.where(exists, given, 0).astype(jnp.int32)
        legal = exists & state.legal_action_mask[number]
        if self._own_actions is not None:
            number = jnp.asarray(self._own_actions, jnp.int32)[state.current_player, number]
        return self._state(state.record, jnp.where(legal, number, self.num_actions), state.over)

    def observe(self, state: JaxState, player: Any = None) -> jax.Array:
        """Return what a player sees.

        Args:
            state: a single state.
            player: 0 or 1; None for the player to act.

        Returns:
            An array of `observation_shape` and `observation_dtype`.
        """
        viewer = state.current_player if player is None else jnp.asarray(player, jnp.int32)
        kind = jax.ShapeDtypeStruct(self.observation_shape, self.observation_dtype)
        tables: dict[str, NDArray[Any]] = {}
        ones = np.zeros(0, np.int64)
        if self.encoder.gather_plan is not None:
            plans, factors, ones = self.encoder.gather_plan.tables
            tables = {"factors": factors, "plans": plans.ravel().view(np.int64)}
        seen = _call(self._batch.kernels.xla_observe, self._observe_rows, kind, tables)(
            state.record, viewer
        )
        return seen.ravel().at[ones].set(1).reshape(kind.shape) if len(ones) else seen

    # To and from games.

    def state_of(self, game: Any) -> JaxState:
        """Return the state of a game, such as a position to search from.

        Raises:
            ConfigError: if it is a game of another kind, or has other settings.
        """
        checked_instance("game", game, self.game_class)
        if game.config != self.config:
            raise ConfigError("game", game, f"its settings must be {self.config}")
        record = jnp.asarray(_records_of(game.state)[0])
        return self._state(record, jnp.int32(NO_ACTION), jnp.bool_(False))

    def game_of(self, state: JaxState) -> Any:
        """Return the game in one concrete state, without its history.

        Raises:
            ArrayError: if the record has the wrong shape or dtype, or does not describe a position.
        """
        record = np.asarray(state.record)
        if record.shape != self._record.shape or record.dtype != np.uint32:
            wanted = f"uint32 of shape {self._record.shape}: one state"
            raise ArrayError(
                "state", f"a record of shape {record.shape} and dtype {record.dtype}", wanted
            )
        return self.game_class.from_state(record.view(self.game_class.dtype), self.config)

    def _state(self, record: jax.Array, action: jax.Array, was_over: jax.Array) -> JaxState:
        """The state after an action, numbered as `tkm_env.compiled.xla.play_arrays` takes it."""
        mask = jax.ShapeDtypeStruct((self.num_actions,), jnp.bool_)
        kinds = self._record, mask, jax.ShapeDtypeStruct((), jnp.int32)
        record, legal, status = _call(self._batch.kernels.xla_play, self._play_rows, kinds)(
            record, action
        )
        player, result = status & 1, status >> 1
        if self._own_actions is not None:
            legal = legal[jnp.asarray(self._own_actions)[player]]
        truncated = jnp.asarray(self._batch.ends.truncated)[result]
        rewards = jnp.where(was_over, 0, jnp.asarray(self._rewards)[result])
        return JaxState(
            record, legal, player, rewards, (result != UNDECIDED) & ~truncated, truncated
        )

    # The functions that JAX calls back to, of arrays with any leading axes.

    def _start_rows(self, records: jax.Array, seeds: jax.Array) -> NDArray[np.uint32]:
        seeded = np.maximum(np.asarray(seeds).reshape(-1, 2).view(np.uint64)[:, 0], 1)

        with _CALLS:
            batch = self._batch_of(len(seeded))
            batch._streams[CHANCE] = seeded
            for _ in range(2):  # the first draws the next starts, the second begins from them
                batch.reset()
            started: NDArray[np.uint32] = _records_of(batch.states).reshape(records.shape)
            return started

    def _play_rows(self, records: jax.Array, actions: jax.Array) -> tuple[NDArray[Any], ...]:
        with _CALLS:
            batch = self._batch_at(records)
            given = np.asarray(actions, np.int64).ravel()
            batch.play(np.where(given == self.num_actions, batch.masks.argmin(1), given))
            masks = batch.masks.astype(np.bool_).reshape(*actions.shape, self.num_actions)
            statuses = (batch.to_act + 2 * batch.results.astype(np.int64)).astype(np.int32)
            return (
                _records_of(batch.states).reshape(records.shape),
                masks,
                statuses.reshape(actions.shape),
            )

    def _observe_rows(self, records: jax.Array, viewers: jax.Array) -> NDArray[Any]:
        with _CALLS:
            batch = self._batch_at(records)
            observations = batch.new_observations(self.encoder)
            batch.observe(observations, np.asarray(viewers, np.int64).ravel(), self.encoder)
            shown: NDArray[Any] = observations.reshape(*viewers.shape, *self.observation_shape)
            return shown

    def _batch_of(self, games: int) -> CompiledBatch[Any]:
        if self._batch.num_games != games:
            self._batch = self._make_batch(games, self.config)
        return self._batch

    def _batch_at(self, records: jax.Array) -> CompiledBatch[Any]:
        words = np.asarray(records).reshape(-1, *self._record.shape)

        def put(
            states: NDArray[np.void], streams: NDArray[np.uint64], masks: NDArray[np.int8]
        ) -> None:
            words_of(states).view(np.uint32)[:] = words

        batch = self._batch_of(len(words))
        batch.let_play(put)
        return batch


def _records_of(states: NDArray[np.void]) -> NDArray[np.uint32]:
    """States as JAX holds them, without 64-bit numbers: a copy of shape (n, words)."""
    words: NDArray[np.uint32] = words_of(np.ascontiguousarray(states)).view(np.uint32).copy()
    return words


def _call(
    function: Callable[[int], int],
    rows: Callable[..., Any],
    kinds: Any,
    attributes: Mapping[str, NDArray[Any]] | None = None,
) -> Callable[..., Any]:
    """Return a call of ``function`` by XLA on CPUs, of ``rows`` by Python elsewhere.

    Any number of `vmap` make it a single call.
    """

    def call_python(*given: Any) -> Any:
        return jax.pure_callback(rows, kinds, *given, vmap_method="broadcast_all")

    def call_compiled(*given: Any) -> Any:
        found = jax.ffi.ffi_call(target, kinds, vmap_method="broadcast_all")(
            *given, **(attributes or {})
        )
        return tuple(found) if isinstance(kinds, tuple) else found

    if (target := _target(function)) is None:
        return call_python
    return lambda *given: jax.lax.platform_dependent(*given, cpu=call_compiled, default=call_python)


@cache
def _target(function: Callable[[int], int]) -> str | None:
    """Register a function with XLA and return its name there.

    None if XLA cannot call it.
    """
    header = Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h"
    version = (
        re.search(r"^#define XLA_FFI_API_MAJOR (\d+)$", header.read_text("utf-8"), re.MULTILINE)
        if header.exists()
        else None
    )
    address = address_of(function)
    if version is None or int(version[1]) != MAJOR_VERSION or address is None:
        return None
    name = f"{function.__module__}.{function.__name__}"
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(ctypes.c_void_p(address)), platform="cpu")
    return name
