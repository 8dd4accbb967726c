"""The batch of a registered game.

It is of the class that the game's row names; without one, games are played one by one in plain
Python.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.kernels import BEGIN, NO_ACTION
from tkm_env.compiled.random_numbers import (
    ACTIONS,
    OPPONENT,
    draw_from,
    new_streams,
    unseeded_streams,
)
from tkm_env.core.batch import BaseBatch, Played
from tkm_env.core.initial_positions import InitialPositions
from tkm_env.core.outcome import Outcome
from tkm_env.core.registry import GameSpec
from tkm_env.core.settings import checked_config, make_config
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.foundations.errors import ConfigError

Self = TypeVar("Self", bound="PlainBatch[Any]")


def make_batch(
    spec: GameSpec, num_games: int, config: Any = None, *, num_threads: int = 1, **settings: Any
) -> BaseBatch[Any]:
    """Games side by side; see `tkm_env.core.batch.BaseBatch`.

    Args:
        spec: the game.
        num_games: the number of games.
        config: the game's config; None for the defaults.
        num_threads: the maximum number of cores; a game without a batch class of its own uses one.
        **settings: keywords of the config, which replace or override those of ``config``.

    Returns:
        The batch.

    Raises:
        ConfigError: naming the argument that is invalid.
    """
    batch: Any = spec.parts.batch
    if batch is None:
        config = make_config(type(spec.game_class.default_config), config, settings)
        return PlainBatch(spec.game_class, num_games, config, num_threads=num_threads)
    return batch(num_games, config, num_threads=num_threads, **settings)


def make_cuda_batch(spec: GameSpec, num_games: int, **settings: Any) -> Any:
    """Games side by side on a GPU; see `tkm_env.core.cuda_batch.BaseCudaBatch`.

    Args:
        spec: the game.
        num_games: the number of games.
        **settings: what else the game's class takes, such as ``config`` or its keywords.

    Returns:
        The batch.

    Raises:
        ConfigError: if the game has no such batch.
    """
    if spec.parts.cuda_batch is None:
        raise ConfigError("device", "cuda", f"{spec.title} runs on CPUs only")
    batch: Any = spec.parts.cuda_batch()
    return batch(num_games, **settings)


class PlainBatch(BaseBatch[Played]):
    """Games as values behind the array interface.

    It is no faster than single games, uses one core, and is reproducible from its seeds.

    Args:
        game_class: the class of the games.
        num_games: the number of games, 1 to 16,777,216.
        config: the settings; None for the defaults.
        num_threads: 1 to 256; checked, and otherwise unused.
    """

    def __init__(
        self, game_class: type[Played], num_games: int, config: Any = None, *, num_threads: int = 1
    ) -> None:
        self.game_class = game_class
        super().__init__(num_games, checked_config(game_class.default_config, config), num_threads)
        self._starts = InitialPositions(game_class, self.config)
        self._streams = unseeded_streams(self.num_games)
        self._games = [self._new_game(number) for number in range(self.num_games)]
        self._forfeited = np.zeros(self.num_games, np.int8)
        self._refresh(range(self.num_games))

    @property
    def to_act(self) -> NDArray[np.int64]:
        return np.array([self.players.index(game.to_act) for game in self._games])

    def _game(self, number: int) -> Played:
        return self._games[number].copy()

    def _set_game(self, number: int, game: Played) -> None:
        self._games[number] = game.copy()
        self._forfeited[number] = 0
        self._illegal[number] = False
        self._refresh([number])

    def _keys_of(self, indices: NDArray[np.int64]) -> NDArray[np.uint64]:
        return np.array([self._games[number].key for number in indices.tolist()], np.uint64)

    @no_concurrent_use
    def _play_into(
        self: Self,
        batch: Self,
        sources: NDArray[np.int64],
        actions: NDArray[np.int64],
        targets: NDArray[np.int64],
    ) -> None:
        copies = [
            (self._games[number].copy(), self._forfeited[number]) for number in sources.tolist()
        ]
        for (game, forfeited), action, target in zip(
            copies, actions.tolist(), targets.tolist(), strict=True
        ):
            batch._games[target], batch._forfeited[target] = game, forfeited
            batch._refresh([target])
            batch._act(target, action)
            batch._refresh([target])

    def random_actions(self) -> NDArray[np.int64]:
        return np.array([self._random_action(number, ACTIONS) for number in range(self.num_games)])

    def play_at_random(self, players: NDArray[np.int64]) -> None:
        checked = self._checked("players", players, 0, len(self.players))
        for number, player in enumerate(checked.tolist()):
            while (
                not self._result_of(number) and self._games[number].to_act != self.players[player]
            ):
                self._games[number].play(self._random_action(number, OPPONENT))
                self._refresh([number])

    def _random_action(self, number: int, purpose: int) -> int:
        legal = self._masks[number].nonzero()[0]
        stream = self._streams[purpose, number : number + 1]
        return int(legal[draw_from(stream, len(legal))]) if len(legal) else NO_ACTION

    def _new_game(self, number: int) -> Played:
        return self._starts.begin(self._streams[:, number : number + 1])

    def _set_initial_positions(self, starts: InitialPositions[Played]) -> None:
        self._starts = starts

    def _seed(self, mask: NDArray[np.bool_], seeds: list[int]) -> None:
        self._streams[:, mask] = new_streams(seeds[number] for number in mask.nonzero()[0].tolist())

    def _play(self, actions: NDArray[np.int64]) -> None:
        for number, action in enumerate(actions.tolist()):
            self._act(number, action)
        self._refresh(range(self.num_games))

    def _act(self, number: int, action: int) -> None:
        """Play an action, `NO_ACTION` or `BEGIN` in one game."""
        self._illegal[number] = False
        if action == BEGIN:
            self._games[number] = self._new_game(number)
            self._forfeited[number] = 0
        elif action != NO_ACTION and not self._result_of(number):
            game = self._games[number]
            self._illegal[number] = not self._masks[number, action]
            if self._illegal[number]:
                lost = Outcome.won_by(1 - self.players.index(game.to_act)).value
                self._forfeited[number] = next(
                    key for key, text in game.results.items() if text == lost
                )
            else:
                game.play(action)

    def _step(self, actions: NDArray[np.int64], observations: NDArray[np.int8]) -> None:
        self._play(actions)
        results, illegal = self._results.copy(), self._illegal.copy()
        self.begin(self.over)
        self._results[:], self._illegal[:] = results, illegal
        self._observe(self.to_act, observations)

    def _observe(
        self,
        viewers: NDArray[np.int64],
        observations: NDArray[np.int8],
        indices: NDArray[np.int64] | None = None,
    ) -> None:
        numbers = range(self.num_games) if indices is None else indices.tolist()
        for row, (number, viewer) in enumerate(zip(numbers, viewers.tolist(), strict=True)):
            observations[row] = self._games[number].observation(self.players[viewer])

    def _result_of(self, number: int) -> int:
        """How a game ended, as a key of its ``results``; 0 while it is in progress."""
        game = self._games[number]
        return int(self._forfeited[number]) or next(
            (key for key, text in game.results.items() if text == game.result), 0
        )

    def _refresh(self, numbers: Iterable[int]) -> None:
        """Update the masks and the results of some games."""
        for number in numbers:
            self._results[number] = self._result_of(number)
            self._masks[number] = 0 if self._results[number] else self._games[number].action_mask()
