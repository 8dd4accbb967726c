"""What questions are about, drawn from a seed: positions, pairs of positions, tactics."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from tkm_env.agents.specs import make_agent
from tkm_env.batch.factory import make_batch
from tkm_env.batch.initial_positions import InitialPositions
from tkm_env.course.trees import Tree, TreeSizeError, minimax
from tkm_env.envs.opponents import make_opponent
from tkm_env.errors import ConfigError
from tkm_env.game.base import BaseGame
from tkm_env.game.registry import GameSpec, game_spec, load

Drawn = TypeVar("Drawn")

#: Games that are played at random to find one that will do, for each that is needed.
_TRIES: Final = 150
#: How many nodes trees have, so that a search written in Python is done with them in a moment.
_NODES: Final = (60, 4000)
#: Games that say what a position is worth, and how far apart the shares of points are in a pair.
_GAMES: Final = 10
_GAP: Final = 0.5
#: So many positions are looked at for each pair; where that is not enough, more.
_POOL: Final = (6, 12, 24)
#: At most this share of the ways to play a turn wins; and where a win is further ahead there are at most so many ways, which a search
#: written in Python has time for.
_RARE: Final = 0.15
_WAYS: Final = 60


class Pair(NamedTuple):
    """Two positions, of which the first is better for the first player, and their shares of points in random games."""

    better: BaseGame
    worse: BaseGame
    shares: tuple[float, float]


@lru_cache(maxsize=64)
def draws_for(game: str, config: Any, seed: int, question: str) -> Draws:
    """The draws for one question, the same object every time: a class is asked about the same positions."""
    return Draws(game_spec(game), config, seed, question)


class Draws:
    """Draws for one question. What has been drawn once is drawn no second time.

    Args:
        spec: the game.
        config: its settings.
        seed: of the assignment.
        question: the question's id; another one draws other positions.

    Attributes:
        secret: for the values of positions.
    """

    def __init__(self, spec: GameSpec, config: Any, seed: int, question: str) -> None:
        self._spec = spec
        self._config = config
        sequence = np.random.SeedSequence(seed, spawn_key=tuple(question.encode()))
        self.secret = sequence.generate_state(8, np.uint32).tobytes()
        self._sequence = sequence
        self._drawn: dict[tuple[Any, ...], list[Any]] = {}

    def seeds(self) -> np.random.Generator:
        """A new generator of what a submission is given for its own randomness, the same for all."""
        return np.random.default_rng([*self._sequence.generate_state(4), 1])

    def _once(self, key: tuple[Any, ...], draw: Callable[[], list[Drawn]]) -> list[Drawn]:
        """What is drawn for that key, each time from the beginning of the question's own random numbers."""
        if key not in self._drawn:
            self.generator = np.random.default_rng(self._sequence)
            self._drawn[key] = draw()
        return self._drawn[key]

    def _games(self, low: int, high: int) -> Iterator[BaseGame]:
        """Games after so many turns of random play, at the beginning of a turn."""
        kind = self._spec.game_class
        high = min(high, self._config.max_turns)
        while True:
            turns = int(self.generator.integers(min(low, high - 1), high))
            yield InitialPositions(kind, self._config, turns).begin(self.generator)

    def _first(self, count: int, games: Iterator[BaseGame], accept: Callable[[BaseGame], bool], what: str) -> list[BaseGame]:
        """The first so many different games that are accepted."""
        found: dict[str, BaseGame] = {}
        for _ in range(_TRIES * count):
            game = next(games)
            if game.position not in found and accept(game):
                found[game.position] = game
                if len(found) == count:
                    return [*found.values()]
        raise ConfigError("positions", count, f"under these settings only {len(found)} were found that {what}")

    def roots(self, count: int, depth: int) -> list[BaseGame]:
        """Positions whose trees of this depth are neither tiny nor large.

        Raises:
            ConfigError: if there are too few.
        """

        def fits(game: BaseGame) -> bool:
            tree = Tree(game, lambda _: 0, b"size", _NODES[1])
            try:
                minimax(tree, depth)
            except TreeSizeError:
                return False
            return len(tree.visited) >= _NODES[0]

        what = f"have {_NODES[0]} to {_NODES[1]} positions in {depth} actions"
        return self._once(("roots", count, depth), lambda: self._first(count, self._games(2, 12), fits, what))

    def pairs(self, count: int, worth: Callable[[Any], int]) -> list[Pair]:
        """Pairs of positions of which one is clearly better: it is worth more, and when the second player of the ladder plays both sides
        from there, the first player gets far more points.

        Raises:
            ConfigError: if there are too few.
        """
        return self._once(("pairs", count), lambda: self._pairs(count, worth))

    def _pairs(self, count: int, worth: Callable[[Any], int]) -> list[Pair]:
        found: list[Pair] = []
        for size in _POOL:
            pool = sorted(self._first(size * count, self._games(3, 14), lambda _: True, "differ"), key=worth)
            shares = self._shares(pool)
            half = len(pool) // 2
            found = [
                Pair(pool[low + half], pool[low], (shares[low + half], shares[low]))
                for low in range(half)
                if shares[low + half] - shares[low] >= _GAP and worth(pool[low + half]) > worth(pool[low])
            ]
            if len(found) >= count:
                return [found[number] for number in self.generator.permutation(len(found))[:count]]
        raise ConfigError("positions", count, f"under these settings only {len(found)} clear pairs were found")

    def _shares(self, games: list[BaseGame]) -> list[float]:
        """The first player's share of the points in games that are played on from each of these."""
        config = {field.name: getattr(self._config, field.name) for field in dataclasses.fields(self._config) if field.init}
        batch = make_batch(self._spec, _GAMES * len(games), **config)
        batch.reset(int(self.generator.integers(2**62)))
        for number in range(batch.num_games):
            batch.set_game(number, games[number // _GAMES])
        player = make_opponent(make_agent(self._spec.ladder[1], game=self._spec.name), self._spec.name)
        player.reset(self.generator)
        while not batch.over.all():
            player.answer_all(batch, 1 - batch.to_act)
        points = (1 + batch.rewards[:, 0]) / 2
        return [float(share) for share in points.reshape(len(games), _GAMES).mean(1)]

    def tactics(self, count: int, turns: int) -> list[BaseGame]:
        """Positions in which the side to act can force a win in so many turns of its own, by few of its ways to play.

        Raises:
            ConfigError: if there are too few, or nothing proves wins in more than one turn.
        """
        if turns > 1 and self._spec.analyse is None:
            raise ConfigError("turns", turns, f"it must be 1: nothing proves a win in more turns of {self._spec.title}")

        def wins(game: BaseGame) -> bool:
            ends = [*turn_ends(game)]
            most, at_once = _RARE * len(ends), sum(end.winner == game.to_act for end in ends)
            if turns == 1:
                return 0 < at_once <= most
            if at_once or not 1 <= most <= _RARE * _WAYS or not proven_in(self._spec, game, turns):
                return False
            return sum(end.result is None and lost_in(self._spec, end, turns - 1) for end in ends) <= most

        what = f"are won in {turns}"
        return self._once(("tactics", count, turns), lambda: self._first(count, self._endings(turns), wins, what))

    def _endings(self, turns: int) -> Iterator[BaseGame]:
        """Random games as they stood so many of the winner's turns before their end."""
        while True:
            game = self._spec.game_class(self._config, seed=self.generator)
            starts: list[BaseGame] = []
            while game.result is None:
                if not starts or (starts[-1].to_act, starts[-1].turn) != (game.to_act, game.turn):
                    starts.append(game.copy())
                legal = game.legal_actions()
                game.play(legal[self.generator.integers(len(legal))])
            own = [start for start in starts if start.to_act == game.winner]
            if len(own) >= turns:
                yield self._spec.game_class(self._config, seed=0, position=own[-turns].position)


def turn_ends(game: BaseGame) -> Iterator[BaseGame]:
    """The different positions after each way to play the turn, or the rest of it."""
    side, turn = game.to_act, game.turn
    waiting, seen = [game], {game.position}
    while waiting:
        now = waiting.pop()
        for action in now.legal_actions():
            after = now.copy()
            after.play(action)
            if after.position in seen:
                continue
            seen.add(after.position)
            if after.result is not None or (after.to_act, after.turn) != (side, turn):
                yield after
            else:
                waiting.append(after)


def proven_in(spec: GameSpec, game: Any, turns: int) -> bool:
    """Whether the game's analysis proves that the side to act wins in so many turns of its own, and in no fewer."""
    assert spec.analyse is not None
    best = load(spec.analyse)(game.state, lines=1, depth=2 * turns - 1)
    return bool(best) and best[0].wins_in == turns


def lost_in(spec: GameSpec, game: Any, turns: int) -> bool:
    """Whether it proves that the opponent of the side to act wins in so many turns of its own, or fewer."""
    assert spec.analyse is not None
    best = load(spec.analyse)(game.state, lines=1, depth=2 * turns)
    return bool(best) and best[0].loses_in is not None and best[0].loses_in <= turns
