"""The positions of questions, sampled from a seed: roots of game trees, pairs for evaluations, tactics. Results are cached for the next
submission. A `ConfigError` says that there are too few such positions under the settings.
"""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from tkm_env.compiled.random_numbers import streams_of
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.chance import ChanceState
from tkm_env.core.game import BaseGame
from tkm_env.core.initial_positions import InitialPositions
from tkm_env.core.registry import GameSpec, game_spec
from tkm_env.course.game_tree import GameTree, TreeSizeError, alpha_beta, expectimax, play_at_random
from tkm_env.course.materials import teaching_material
from tkm_env.envs.opponents import make_opponent
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.seeds import derived
from tkm_env.players.roster import ROSTERS
from tkm_env.players.solvers import SOLVERS
from tkm_env.players.specs import make_agent

#: How many random games are tried for each position that is needed.
_TRIES: Final = 150
#: The fewest and the most nodes of a tree: a search written in Python takes a moment for them.
_NODES: Final = (60, 4000)
#: How many games estimate a position's share of points, and by how much the shares of a pair differ at least.
_GAMES: Final = 20
_GAP: Final = 0.5
#: How many positions are sampled for each pair; the later numbers are tried if there are too few clear pairs.
_POOL: Final = (6, 12, 24)
#: The largest share of the ways to play a turn that may win, and how many ways a win further ahead may leave to a search in Python.
_RARE: Final = 0.15
_MAX_WAYS: Final = 60
#: By how much a right estimate is off at most, in the values of game trees.
_MOST_OFF: Final = 1000
_Found = TypeVar("_Found")


class Pair(NamedTuple):
    """Two positions, of which the first is better for the first player, and that player's shares of points from there."""

    better: BaseGame
    worse: BaseGame
    shares: tuple[float, float]


@dataclasses.dataclass(frozen=True)
class PositionSource:
    """What the positions of a question depend on: the game and its settings, the assignment's seed and the question's id."""

    game: str
    config: Any
    seed: int
    question: str

    @property
    def spec(self) -> GameSpec:
        return game_spec(self.game)

    def generator(self) -> np.random.Generator:
        """The random numbers of the positions, from their beginning."""
        return np.random.default_rng(self.secret("positions"))

    def secret(self, purpose: str) -> int:
        """The question's own secret for a purpose."""
        return derived(self.seed, "question", self.question, purpose)

    @property
    def tree_secret(self) -> bytes:
        """The key of the secret numbers in the values of its game trees."""
        return self.secret("values").to_bytes(16, "big")

    def submission_generator(self) -> np.random.Generator:
        """A new generator of the seeds that every submission is given for its own randomness."""
        return np.random.default_rng(self.secret("submission"))


@lru_cache(maxsize=64)
def sample_roots(source: PositionSource, count: int, depth: int) -> list[BaseGame]:
    """Positions whose trees of this depth are neither tiny nor large."""

    def fits(game: BaseGame) -> bool:
        tree = GameTree(game, lambda _: 0, b"size", _NODES[1])
        expectimax(tree, depth)
        return len(tree.visited) >= _NODES[0]

    games = _random_positions(source, source.generator(), 2, 12)
    return _take(
        count, games, fits, f"have {_NODES[0]} to {_NODES[1]} positions in {depth} actions"
    )


@lru_cache(maxsize=64)
def sample_prunable_roots(
    source: PositionSource, count: int, depth: int, visits: float
) -> list[BaseGame]:
    """Positions late in a turn whose trees plain minimax searches only with twice the visits, or more, that are allowed: ``visits`` times
    those of alpha-beta.
    """
    worth = teaching_material(source.spec).worth

    def fits(game: BaseGame) -> bool:
        whole, pruned = (GameTree(game, worth, source.tree_secret, _NODES[1]) for _ in range(2))
        expectimax(whole, depth)
        alpha_beta(pruned, depth)
        return len(whole.visited) >= max(_NODES[0], 2 * int(visits * len(pruned.visited)))

    generator = source.generator()
    games = (_late_in_turn(game, generator) for game in _random_positions(source, generator, 2, 12))
    return _take(
        count,
        games,
        fits,
        f"make minimax visit twice the positions that may be visited, at depth {depth}",
    )


def _late_in_turn(game: BaseGame, generator: np.random.Generator) -> BaseGame:
    """The game as it stands two decisions before the end of its turn, which is played at random; earlier ones if there are not so many."""
    seen, began = [game.copy()], (game.to_act, game.turn)
    while game.result is None and (game.to_act, game.turn) == began:
        legal = game.legal_actions()
        game.play(legal[generator.integers(len(legal))])
        seen.append(game.copy())
    return seen[max(0, len(seen) - 3)]


@lru_cache(maxsize=64)
def sample_draws(
    source: PositionSource, count: int, depth: int, visits: int = 0
) -> list[ChanceState]:
    """Moments at which something is to be drawn. If ``visits`` are given, the trees below, of this depth, have four times as many nodes,
    and random play leads to another value than that of the root, of which so many visits tell it apart.
    """
    worth, generator = teaching_material(source.spec).worth, source.generator()

    def fits(moment: ChanceState) -> bool:
        if not moment.undrawn:
            return False
        tree = GameTree(moment, worth, source.tree_secret, _NODES[1])
        average, error = play_at_random(tree, depth, visits or _NODES[1])
        is_large = len(tree.visited) >= max(_NODES[0], 4 * visits)
        return is_large and (not visits or 3 * error < min(_MOST_OFF, abs(tree.value(0) - average)))

    moments = (
        _before_draw(source, game, generator)
        for game in _random_positions(source, generator, 4, 16)
    )
    return _take(
        count,
        moments,
        fits,
        f"have a draw, and {_NODES[0]} to {_NODES[1]} positions in {depth} actions",
    )


def _before_draw(
    source: PositionSource, game: BaseGame, generator: np.random.Generator
) -> ChanceState:
    """The moment after the turn is played at random, when something may have to be drawn."""
    chance = source.spec.chance(source.config)
    moment = ChanceState(game)
    while moment.game.result is None and moment.game.turn == game.turn:
        legal = moment.game.legal_actions()
        moment = chance.play(moment, legal[generator.integers(len(legal))])
    return moment


@lru_cache(maxsize=64)
def sample_pairs(source: PositionSource, count: int) -> list[Pair]:
    """Pairs of positions of which one is clearly better. It is worth more, and the first player gets far more points from there when the
    second player of the ladder plays both sides.
    """
    found: list[Pair] = []
    generator, worth = source.generator(), teaching_material(source.spec).worth
    for size in _POOL:
        games = _random_positions(source, generator, 3, 14)
        pool = sorted(_take(size * count, games, lambda _: True, "differ"), key=worth)
        shares = _estimate_shares(source, generator, pool)
        half = len(pool) // 2
        found = [
            Pair(pool[low + half], pool[low], (shares[low + half], shares[low]))
            for low in range(half)
            if shares[low + half] - shares[low] >= _GAP
            and worth(pool[low + half]) > worth(pool[low])
        ]
        if len(found) >= count:
            return [found[number] for number in generator.permutation(len(found))[:count]]
    raise ConfigError(
        "positions", count, f"under these settings only {len(found)} clear pairs were found"
    )


@lru_cache(maxsize=64)
def sample_tactics(source: PositionSource, count: int, turns: int) -> list[BaseGame]:
    """Positions in which few of the ways to play the turn force a win in this many turns of the side to act."""
    spec = source.spec

    def is_tactic(game: BaseGame) -> bool:
        ends = [turn.after for turn in game.turns()]
        limit, wins_now = _RARE * len(ends), sum(end.winner == game.to_act for end in ends)
        if turns == 1:
            return 0 < wins_now <= limit
        if wins_now or not 1 <= limit <= _RARE * _MAX_WAYS:
            return False
        if all(best.wins_in != turns for best in _analyse(spec, game, 2 * turns - 1)):
            return False
        return (
            sum(end.result is None and is_lost_within(spec, end, turns - 1) for end in ends)
            <= limit
        )

    return _take(count, _endings(source, turns), is_tactic, f"are won in {turns}")


def is_lost_within(spec: GameSpec, game: Any, turns: int) -> bool:
    """Whether the game's analysis proves that the opponent of the side to act wins within ``turns`` turns of its own."""
    return any(
        best.loses_in is not None and best.loses_in <= turns
        for best in _analyse(spec, game, 2 * turns)
    )


def _analyse(spec: GameSpec, game: Any, depth: int) -> Any:
    """The best line, in a list that is empty if there is none."""
    analyse = SOLVERS.of(spec).analyse
    assert analyse is not None
    return analyse(game.state, lines=1, depth=depth)


def _take(
    count: int, games: Iterator[_Found], accept: Callable[[_Found], bool], what: str
) -> list[_Found]:
    """The first ``count`` that are accepted, all different; none whose tree is too large."""
    found: dict[_Found, None] = {}
    for game in islice(games, _TRIES * count):
        with suppress(TreeSizeError):
            if game not in found and accept(game):
                found[game] = None
        if len(found) == count:
            return [*found]
    raise ConfigError(
        "positions", count, f"under these settings only {len(found)} were found that {what}"
    )


def _random_positions(
    source: PositionSource, generator: np.random.Generator, low: int, high: int
) -> Iterator[BaseGame]:
    """Positions after ``low`` to ``high - 1`` turns of random play, at the beginning of a turn."""
    high = min(high, source.config.max_turns)
    while True:
        turns = int(generator.integers(min(low, high - 1), high))
        yield InitialPositions(source.spec.game_class, source.config, turns).begin(
            streams_of(generator)
        )


def _endings(source: PositionSource, turns: int) -> Iterator[BaseGame]:
    """Random games as they stood ``turns`` turns of the winner before their end."""
    generator, make = source.generator(), source.spec.game_class
    while True:
        game = make(source.config, seed=generator)
        starts: list[BaseGame] = []
        while game.result is None:
            if not starts or (starts[-1].to_act, starts[-1].turn) != (game.to_act, game.turn):
                starts.append(game.copy())
            legal = game.legal_actions()
            game.play(legal[generator.integers(len(legal))])
        won = [start for start in starts if start.to_act == game.winner]
        if len(won) >= turns:
            yield make(source.config, seed=0, position=won[-turns].position)


def _estimate_shares(
    source: PositionSource, generator: np.random.Generator, games: list[BaseGame]
) -> list[float]:
    """The first player's share of points from each position, with the second player of the ladder on both sides."""
    spec, config = source.spec, source.config
    settings = {
        field.name: getattr(config, field.name)
        for field in dataclasses.fields(config)
        if field.init
    }
    batch = make_batch(spec, _GAMES * len(games), **settings)
    batch.reset(int(generator.integers(2**62)))
    for number in range(batch.num_games):
        batch.set_game(number, games[number // _GAMES])
    player = make_opponent(make_agent(ROSTERS.of(spec).ladder[:2][-1], game=spec.name), spec.name)
    player.reset(generator)
    while not batch.over.all():
        player.answer_all(batch, 1 - batch.to_act)
    points = (1 + batch.rewards[:, 0]) / 2
    return [float(share) for share in points.reshape(len(games), _GAMES).mean(1)]
