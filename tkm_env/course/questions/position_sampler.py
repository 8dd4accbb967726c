"""Positions for questions, sampled from a seed: roots of game trees, pairs, tactics.

The same arguments always give the same positions. The latest results are cached for the next
submission.
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
from tkm_env.core.registry import GameSpec
from tkm_env.course.game_tree import GameTree, TreeSizeError, alpha_beta, expectimax, play_at_random
from tkm_env.course.materials import teaching_material
from tkm_env.course.questions.position_source import PositionSource
from tkm_env.envs.opponents import make_opponent
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.factory import make_agent
from tkm_env.players.roster import ROSTERS
from tkm_env.players.solvers import SOLVERS

#: The most candidates to look at for each position that is needed.
_CANDIDATES: Final = 150
#: The fewest and the most nodes of a tree: a search written in Python takes a moment for them.
_FEWEST_NODES: Final = 60
_MOST_NODES: Final = 4000
#: The least number of nodes of a full tree, as a multiple of the visits that a question allows.
_MINIMAX_VISITS: Final = 2
_ESTIMATE_NODES: Final = 4
#: The number of games that estimate a position's share of the points, and the least difference
#: between the shares of a pair.
_GAMES: Final = 20
_GAP: Final = 0.5
#: The number of positions sampled per pair; each further number is tried if there are too few clear
#: pairs.
_POOL_SIZES: Final = (6, 12, 24)
#: The most ways to play the turn in a tactic longer than one turn: a search written in Python takes
#: a moment for them.
_MOST_WAYS: Final = 60
#: The largest error of an estimate that is still accepted, in values of game trees.
_MOST_OFF: Final = 1000

_Found = TypeVar("_Found")


class Pair(NamedTuple):
    """Two positions of which one is better for the first player.

    Attributes:
        better: the better position.
        worse: the other one.
        shares: the first player's shares of the points from each, in the same order.
    """

    better: BaseGame
    worse: BaseGame
    shares: tuple[float, float]


def take(
    count: int, candidates: Iterator[_Found], fits: Callable[[_Found], bool], what: str
) -> list[_Found]:
    """Take the first candidates that fit, all different; none whose tree is too large.

    Args:
        count: the number of candidates needed.
        candidates: an endless source of candidates.
        fits: whether a candidate is taken; it may raise a `TreeSizeError`.
        what: what those that fit have in common, for the message.

    Returns:
        The candidates.

    Raises:
        ConfigError: if too few of the candidates that are tried fit.
    """
    found: dict[_Found, None] = {}
    for candidate in islice(candidates, _CANDIDATES * count):
        with suppress(TreeSizeError):
            if candidate not in found and fits(candidate):
                found[candidate] = None
        if len(found) == count:
            return [*found]
    raise ConfigError(
        "positions", count, f"only {len(found)} were found under these settings that {what}"
    )


def sample_positions(
    source: PositionSource, generator: np.random.Generator, fewest: int = 2, beyond: int = 12
) -> Iterator[BaseGame]:
    """Yield positions at the beginning of a turn, without end.

    Args:
        source: the game and its settings.
        generator: the source of everything random.
        fewest: the fewest random turns before the position.
        beyond: one more than the most of them; fewer if games are shorter.

    Yields:
        The positions.
    """
    beyond = min(beyond, source.config.max_turns)
    while True:
        turns = int(generator.integers(min(fewest, beyond - 1), beyond))
        start = InitialPositions(source.spec.game_class, source.config, turns)
        yield start.begin(streams_of(generator))


@lru_cache(maxsize=64)
def sample_roots(source: PositionSource, count: int, depth: int) -> list[BaseGame]:
    """Sample positions whose trees are neither tiny nor large.

    Args:
        source: what the positions depend on.
        count: the number of positions.
        depth: the depth of the trees, in actions.

    Returns:
        The positions, all different.

    Raises:
        ConfigError: if too few positions fit under the settings.
    """

    def fits(game: BaseGame) -> bool:
        return _nodes_of_tree(game, depth) >= _FEWEST_NODES

    games = sample_positions(source, source.generator(), 2, 12)
    what = f"have {_FEWEST_NODES} to {_MOST_NODES} positions in {depth} actions"
    return take(count, games, fits, what)


@lru_cache(maxsize=64)
def sample_prunable_roots(
    source: PositionSource, count: int, depth: int, visits: float
) -> list[BaseGame]:
    """Sample positions late in a turn that take plain minimax more visits than are allowed.

    Args:
        source: what the positions depend on.
        count: the number of positions.
        depth: the depth of the trees, in actions.
        visits: the number of visits allowed, as a multiple of the visits of alpha-beta. Minimax
            takes at least twice as many as are allowed.

    Returns:
        The positions, all different.

    Raises:
        ConfigError: if too few positions fit under the settings.
    """
    worth = teaching_material(source.spec).worth

    def fits(game: BaseGame) -> bool:
        nodes = _nodes_of_tree(game, depth)
        pruned = GameTree(game, worth, source.tree_secret, _MOST_NODES)
        alpha_beta(pruned, depth)
        allowed = int(visits * len(pruned.visited))
        return nodes >= max(_FEWEST_NODES, _MINIMAX_VISITS * allowed)

    generator = source.generator()
    games = (_late_in_turn(game, generator) for game in sample_positions(source, generator, 2, 12))
    what = f"take minimax at least twice the allowed visits, at depth {depth}"
    return take(count, games, fits, what)


@lru_cache(maxsize=64)
def sample_draws(source: PositionSource, count: int, depth: int) -> list[ChanceState]:
    """Sample moments before a draw whose trees are neither tiny nor large.

    Args:
        source: what the moments depend on.
        count: the number of moments.
        depth: the depth of the trees, in actions.

    Returns:
        The moments, all different.

    Raises:
        ConfigError: if too few moments fit under the settings.
    """

    def fits(moment: ChanceState) -> bool:
        return bool(moment.undrawn) and _nodes_of_tree(moment, depth) >= _FEWEST_NODES

    return take(count, _random_draws(source), fits, _with_draw(depth))


@lru_cache(maxsize=64)
def sample_estimable_draws(
    source: PositionSource, count: int, depth: int, visits: int
) -> list[ChanceState]:
    """Sample moments before a draw, for estimating the mean of random play.

    The tree is several times as large as the number of allowed visits. The value of the root itself
    is a wrong answer: it differs from the mean by more than the error allowed.

    Args:
        source: what the moments depend on.
        count: the number of moments.
        depth: the depth of the trees, in actions.
        visits: the number of nodes that may be visited.

    Returns:
        The moments, all different.

    Raises:
        ConfigError: if too few moments fit under the settings.
    """
    worth = teaching_material(source.spec).worth

    def fits(moment: ChanceState) -> bool:
        if not moment.undrawn:
            return False
        tree = GameTree(moment, worth, source.tree_secret, _MOST_NODES)
        average, error = play_at_random(tree, depth, visits)
        if len(tree.visited) < max(_FEWEST_NODES, _ESTIMATE_NODES * visits):
            return False
        return 3 * error < min(_MOST_OFF, abs(tree.value(0) - average))

    return take(count, _random_draws(source), fits, _with_draw(depth))


@lru_cache(maxsize=64)
def sample_pairs(source: PositionSource, count: int) -> list[Pair]:
    """Sample pairs of positions of which one is clearly better.

    It is worth more, and from there the first player gets far more points when the second agent of
    the ladder plays both sides.

    Args:
        source: what the positions depend on.
        count: the number of pairs.

    Returns:
        The pairs, in random order.

    Raises:
        ConfigError: if there are too few clear pairs under the settings.
    """
    generator, worth = source.generator(), teaching_material(source.spec).worth
    found: list[Pair] = []
    for size in _POOL_SIZES:
        games = sample_positions(source, generator, 3, 14)
        pool = sorted(take(size * count, games, lambda _: True, "differ"), key=worth)
        rated = [*zip(pool, _estimate_shares(source, generator, pool), strict=True)]
        half = len(rated) // 2
        found = [
            Pair(better, worse, (high, low))
            for (worse, low), (better, high) in zip(rated[:half], rated[half:], strict=True)
            if high - low >= _GAP and worth(better) > worth(worse)
        ]
        if len(found) >= count:
            return [found[index] for index in generator.permutation(len(found))[:count]]
    raise ConfigError(
        "positions", count, f"only {len(found)} clear pairs were found under these settings"
    )


@lru_cache(maxsize=64)
def sample_tactics(source: PositionSource, count: int, turns: int) -> list[BaseGame]:
    """Sample positions in which few of the ways to play the turn force a win.

    Args:
        source: what the positions depend on.
        count: the number of positions.
        turns: the number of turns of the side to act in which the win is forced, and not in fewer.

    Returns:
        The positions, all different.

    Raises:
        ConfigError: if too few positions fit under the settings.
    """

    def is_tactic(game: BaseGame) -> bool:
        if turns == 1:
            return _is_won_at_once(source.spec, game)
        return _is_won_later(source.spec, game, turns)

    return take(count, _endings(source, turns), is_tactic, f"are won in {turns}")


def is_lost_within(spec: GameSpec, game: Any, turns: int) -> bool:
    """Whether the side to act is proven to lose.

    Args:
        spec: the game's row in the registry, which has an analysis.
        game: the position.
        turns: the number of the opponent's turns within which the opponent wins.

    Returns:
        Whether the game's analysis proves it.
    """
    return any(
        line.loses_in is not None and line.loses_in <= turns
        for line in _best_line(spec, game, 2 * turns)
    )


def _is_won_at_once(spec: GameSpec, game: BaseGame) -> bool:
    """Whether some of the ways to play the turn win, but few."""
    ends = [turn.after for turn in game.turns()]
    wins = sum(end.winner == game.to_act for end in ends)
    return 0 < wins <= teaching_material(spec).rare * len(ends)


def _is_won_later(spec: GameSpec, game: Any, turns: int) -> bool:
    """Whether few of the ways to play the turn force a win in this many, and none wins sooner."""
    ends = [turn.after for turn in game.turns()]
    most_wins = teaching_material(spec).rare * len(ends)
    if most_wins < 1 or len(ends) > _MOST_WAYS:
        return False
    if any(end.winner == game.to_act for end in ends):
        return False
    if all(line.wins_in != turns for line in _best_line(spec, game, 2 * turns - 1)):
        return False
    wins = sum(end.result is None and is_lost_within(spec, end, turns - 1) for end in ends)
    return wins <= most_wins


def _best_line(spec: GameSpec, game: Any, depth: int) -> Any:
    """The best line, in a list that is empty if there is none."""
    analyse = SOLVERS.of(spec).analyse
    assert analyse is not None
    return analyse(game.state, lines=1, depth=depth)


def _nodes_of_tree(root: BaseGame | ChanceState, depth: int) -> int:
    """Count the nodes of a tree of this depth; raise a `TreeSizeError` if there are too many."""
    tree = GameTree(root, lambda _: 0, b"size", _MOST_NODES)
    expectimax(tree, depth)
    return len(tree.visited)


def _with_draw(depth: int) -> str:
    return f"have a draw, and {_FEWEST_NODES} to {_MOST_NODES} positions in {depth} actions"


def _random_draws(source: PositionSource) -> Iterator[ChanceState]:
    """Yield moments after a random turn, when something may have to be drawn."""
    chance = source.spec.chance(source.config)
    generator = source.generator()
    for game in sample_positions(source, generator, 4, 16):
        moment = ChanceState(game)
        while moment.game.result is None and moment.game.turn == game.turn:
            moment = chance.play(moment, _random_action(moment.game, generator))
        yield moment


def _late_in_turn(game: BaseGame, generator: np.random.Generator) -> BaseGame:
    """Play the turn at random, and return the game two decisions before its end.

    If the turn has fewer decisions, return the game at its beginning.
    """
    seen, turn = [game.copy()], game.turn_id
    while game.is_in_turn(turn):
        game.play(_random_action(game, generator))
        seen.append(game.copy())
    return seen[-3] if len(seen) >= 3 else seen[0]


def _endings(source: PositionSource, turns: int) -> Iterator[BaseGame]:
    """Yield random games as they were ``turns`` turns of the winner before the end."""
    generator, game_class = source.generator(), source.spec.game_class
    while True:
        game = game_class(source.config, seed=generator)
        starts: list[BaseGame] = []  # the game at the beginning of each turn
        while game.result is None:
            if not starts or not game.is_in_turn(starts[-1].turn_id):
                starts.append(game.copy())
            game.play(_random_action(game, generator))
        won = [start for start in starts if start.to_act == game.winner]
        if len(won) >= turns:
            yield game_class(source.config, seed=0, position=won[-turns].position)


def _random_action(game: Any, generator: np.random.Generator) -> int:
    legal: list[int] = game.legal_actions()
    return legal[generator.integers(len(legal))]


def _estimate_shares(
    source: PositionSource, generator: np.random.Generator, games: list[BaseGame]
) -> list[float]:
    """Estimate the first player's share of the points from each position.

    The second agent of the ladder plays both sides.
    """
    spec, config = source.spec, source.config
    settings = {
        field.name: getattr(config, field.name)
        for field in dataclasses.fields(config)
        if field.init
    }
    batch = make_batch(spec, _GAMES * len(games), **settings)
    batch.reset(int(generator.integers(2**62)))
    for index in range(batch.num_games):
        batch.set_game(index, games[index // _GAMES])
    player = make_opponent(make_agent(ROSTERS.of(spec).ladder[:2][-1], game=spec.name), spec.name)
    player.reset(generator)
    while not batch.over.all():
        player.answer_all(batch, 1 - batch.to_act)
    points = (1 + batch.rewards[:, 0]) / 2
    return [float(share) for share in points.reshape(len(games), _GAMES).mean(1)]
