"""How often intervals hold what they estimate: ``python benchmarks/intervals.py FOLDER``.

A 95% interval should hold the truth 95 times in 100, whatever the truth is. For scores of pairs of
games this is computed exactly, by all results that the pairs can have, over a grid of true scores,
draws and kinds of dependence within a pair. For scores against several opponents it is simulated,
and so it is for ratings, beside a bootstrap that draws whole starts. No game is played: results
are drawn from known strengths.

Figures are kept in FOLDER as soon as they are known, so an interrupted run resumes where it
stopped. ``docs/intervals.json`` holds them, and ``python docs/generate.py`` writes the page.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from tkm_env.arena.benchmark.report import TaskResult
from tkm_env.arena.game_counts import Played
from tkm_env.arena.rating import Ratings, fit
from tkm_env.evaluation.score import PairResults, design_effect

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep

FIGURES = ROOT / "docs" / "intervals.json"
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

# Scores of pairs. The other half of the scores is the opponent's.
PAIRS = (5, 10, 20, 50, 100)
SHARES = tuple(np.linspace(0.5, 0.999, 500).round(3).tolist())
DRAWS = (0.0, 0.1, 0.3, 0.6)
#: From pairs of which the side decides as much as the score allows, through independent games, to
#: pairs whose two games end alike.
DEPENDENCES = (-1.0, -0.5, 0.0, 0.5, 1.0)

# Scores against several opponents.
STARTS = (10, 25, 100)
PANELS = {
    "equals": (0.5, 0.5, 0.5, 0.5),
    "from weak to strong": (0.99, 0.9, 0.6, 0.3),
    "all much weaker": (0.99, 0.98, 0.95, 0.9),
}
TRIALS = 2000

# Ratings.
STRENGTHS = {"a": -150.0, "b": 0.0, "c": 50.0, "d": 100.0, "e": 200.0, "f": 300.0}
FIRST_MOVE, DRAW = 35.0, 0.3
#: The pairs of games of each two players, the number of starts, and the standard deviation of what
#: a start is worth to a player, in Elo.
TOURNAMENTS = ((10, 100, 0.0), (10, 100, 300.0), (50, 100, 300.0), (20, 20, 300.0), (10, 10, 300.0))
SIMULATED, RESAMPLES, MANY = 100, 200, 100_000


def game_chances(share: float, draws: float) -> _Floats:
    """The chances of a loss, a draw and a win in a game, by the expected points."""
    return np.array([1 - share - draws / 2, draws, share - draws / 2])


def pair_chances(share: float, draws: float, dependence: float) -> _Floats:
    """The chances that a pair of games brings 0, ½, 1, 1½ and 2 points.

    Args:
        share: the expected points of each of the two games.
        draws: the chance that a game is drawn.
        dependence: the share of pairs whose games are not independent of each other: if positive,
            both games end alike; if negative, one ends the worse the better the other does.

    Returns:
        The chances.
    """
    of_game = game_chances(share, draws)
    if dependence > 0:
        dependent = np.zeros(5)
        dependent[::2] = of_game
    else:
        # One game takes a quantile of its results, and the other one the opposite quantile.
        edges = np.concatenate([[0.0], of_game.cumsum()])
        dependent = np.zeros(5)
        for one in range(3):
            for other in range(3):
                low = max(edges[one], 1 - edges[other + 1])
                high = min(edges[one + 1], 1 - edges[other])
                dependent[one + other] += max(0.0, high - low)
    chances: _Floats = np.convolve(of_game, of_game) * (1 - abs(dependence))
    return chances + abs(dependence) * dependent


class Scores:
    """The intervals of all scores that a number of pairs can have.

    Args:
        pairs: the number of pairs.
    """

    # An interval depends on the sum of the half points and on that of their squares. Instead of
    # the squares h², the smaller h (h - 1) / 2 is summed up.
    _HALVES = np.arange(5)
    _SQUARES = _HALVES * (_HALVES - 1) // 2

    def __init__(self, pairs: int) -> None:
        self._pairs = pairs
        # Pairs and four bars in a row: what lies between two bars has the same result.
        bars = np.fromiter(
            combinations(range(pairs + 4), 4), np.dtype((np.int16, 4)), math.comb(pairs + 4, 4)
        )
        counts = np.diff(bars, prepend=-1, append=pairs + 4) - 1
        self._shape = 4 * pairs + 1, 6 * pairs + 1
        sums = np.ravel_multi_index((counts @ self._HALVES, counts @ self._SQUARES), self._shape)
        self._sums, examples = np.unique(sums, return_index=True)
        self._intervals = np.array(
            [PairResults((a, b, c, d, e)).score for a, b, c, d, e in counts[examples].tolist()]
        )

    def held(self, chances: _Floats) -> float:
        """How often an interval holds the true score.

        Args:
            chances: those of 0, ½, 1, 1½ and 2 points in a pair.

        Returns:
            The probability.
        """
        of_pair = np.zeros((5, 7))
        of_pair[self._HALVES, self._SQUARES] = chances
        # The distribution of the sums is the pair's, convolved with itself.
        transformed = np.fft.rfft2(of_pair, self._shape) ** self._pairs
        distribution = np.fft.irfft2(transformed, self._shape).ravel()[self._sums]
        true, (_, low, high) = chances @ self._HALVES / 4, self._intervals.T
        return float(distribution[(low <= true + 1e-9) & (true - 1e-9 <= high)].sum())


def of_scores(pairs: int) -> dict[str, Any]:
    """How often intervals of scores hold them after this number of pairs, by the dependence."""
    scores, found = Scores(pairs), {}
    for dependence in DEPENDENCES:
        held = {
            (share, draws): scores.held(pair_chances(share, draws, dependence))
            for share in SHARES
            for draws in DRAWS
            if game_chances(share, draws).min() > -1e-9
        }
        (share, draws), lowest = min(held.items(), key=lambda item: item[1])
        mean = float(np.mean([*held.values()]))
        found[f"{dependence:g}"] = {
            "lowest": round(lowest, 4),
            "share": share,
            "draws": draws,
            "mean": round(mean, 4),
        }
    return found


def of_panel(panel: str, starts: int) -> dict[str, float]:
    """How often intervals of scores against several opponents hold them, by simulation.

    Args:
        panel: the name of the expected scores against the opponents.
        starts: the number of starts, each played against every opponent.

    Returns:
        The share of intervals that hold the mean score: of starts that mean nothing to the next
        opponent, and of starts from which all opponents do as well as they can or as badly.
    """
    shares = PANELS[panel]
    limits = np.array([pair_chances(share, 0.1 * (1 - share), 0.0).cumsum() for share in shares])
    found = {}
    for name in ("independent", "alike"):
        generator = np.random.default_rng([starts, *map(ord, panel)])
        held = 0
        for _ in range(TRIALS):
            quantiles = generator.random((starts, len(shares) if name == "independent" else 1))
            halves = (quantiles[:, :, None] >= limits[None, :, :-1]).sum(2)
            held += _is_held(halves, float(np.mean(shares)))
        found[name] = round(held / TRIALS, 4)
    return found


def _is_held(halves: _Ints, true: float) -> bool:
    """Whether the interval of a panel's score holds it, by the half points of each start."""
    starts, opponents = halves.shape
    deviations = (halves - halves.mean(0)) / 2
    shared = design_effect(
        (start, deviations[start, opponent])
        for start in range(starts)
        for opponent in range(opponents)
    )
    results = {}
    for opponent in range(opponents):
        lost, less, split, more, won = np.bincount(halves[:, opponent], minlength=5).tolist()
        results[str(opponent)] = PairResults((lost, less, split, more, won))
    score = TaskResult("", results, shared).score
    return score.low <= true <= score.high


_ORDERED = [*permutations(range(len(STRENGTHS)), 2)]
_PAIRINGS = [*combinations(range(len(STRENGTHS)), 2)]
_NAMES = [*STRENGTHS]


def tournament(
    generator: np.random.Generator, pairs: int, starts: int, deviation: float
) -> NDArray[np.int64]:
    """Draw the results of a round robin from starts that suit players more or less.

    Args:
        generator: draws starts and results.
        pairs: the pairs of games of each two players.
        starts: the number of starts.
        deviation: the standard deviation of what a start is worth to a player, in Elo.

    Returns:
        int64 of shape (starts, 30): the half points of the player that moves first, for each start
        and each two players in order; -1 for what is not played.
    """
    suits = np.array([*STRENGTHS.values()]) + generator.normal(0, deviation, (starts, len(_NAMES)))
    first, second = np.array(_ORDERED).T
    leads = (suits[:, first] - suits[:, second] + FIRST_MOVE) * math.log(10) / 400
    odds = np.stack([np.exp(-leads / 2), np.full_like(leads, DRAW), np.exp(leads / 2)])
    limits = (odds / odds.sum(0)).cumsum(0)
    results: _Ints = (generator.random(leads.shape) >= limits[:2]).sum(0)
    for pairing in _PAIRINGS:
        columns = [number for number, two in enumerate(_ORDERED) if {*two} == {*pairing}]
        left_out = generator.permutation(starts)[pairs:]
        results[np.ix_(left_out, columns)] = -1
    return results


def games_of(results: _Ints) -> Iterator[Played]:
    """The games of a tournament, with their starts."""
    for start, column in np.argwhere(results >= 0).tolist():
        one, two = _ORDERED[column]
        yield Played(_NAMES[one], _NAMES[two], results[start, column] / 2, 1, start)


def counted(results: _Ints, times: _Ints) -> list[Played]:
    """The games of a tournament without their starts, each of which counts as often as given."""
    return [
        Played(_NAMES[one], _NAMES[two], points / 2, int(number))
        for points in range(3)
        for (one, two), number in zip(_ORDERED, times @ (results == points), strict=True)
        if number
    ]


def differences(ratings: Ratings) -> _Floats:
    """Float64 of shape (15, 3): the difference of each two players, with its interval."""
    return np.array([ratings.difference(_NAMES[one], _NAMES[two]) for one, two in _PAIRINGS])


def bootstrapped(generator: np.random.Generator, results: _Ints) -> _Floats:
    """The bootstrap's intervals of the differences: percentiles over draws of whole starts.

    Args:
        generator: draws the starts.
        results: those of a tournament.

    Returns:
        float64 of shape (15, 2): the bounds of each difference.
    """
    starts = len(results)
    drawn = generator.multinomial(starts, np.full(starts, 1 / starts), RESAMPLES)
    found = [differences(fit(counted(results, times), players=_NAMES))[:, 0] for times in drawn]
    bounds: _Floats = np.quantile(found, (0.025, 0.975), axis=0).T
    return bounds


def of_ratings(pairs: int, starts: int, deviation: float) -> dict[str, Any]:
    """How often intervals of rating differences hold them, and how wide they are.

    Args:
        pairs: the pairs of games of each two players.
        starts: the number of starts.
        deviation: the standard deviation of what a start is worth to a player, in Elo.

    Returns:
        For each method, the share of intervals that hold the true difference, and the median of
        half their widths in Elo.
    """
    generator = np.random.default_rng([pairs, starts, int(deviation)])
    many = tournament(generator, MANY, MANY, deviation)
    true = differences(fit(counted(many, np.ones(MANY, np.int64))))[:, 0]
    bounds: dict[str, list[_Floats]] = {"ours": [], "independent": [], "bootstrap": []}
    for _ in range(SIMULATED):
        results = tournament(generator, pairs, starts, deviation)
        alone = counted(results, np.ones(starts, np.int64))
        bounds["ours"].append(differences(fit(games_of(results)))[:, 1:])
        bounds["independent"].append(differences(fit(alone))[:, 1:])
        bounds["bootstrap"].append(bootstrapped(generator, results))
    found = {}
    for name, each in bounds.items():
        low, high = np.moveaxis(np.array(each), 2, 0)
        found[name] = {
            "held": round(float(np.mean((low <= true) & (true <= high))), 4),
            "margin": round(float(np.median((high - low) / 2)), 1),
        }
    return found


def measured(folder: Path) -> dict[str, Any]:
    """All figures, those that were computed before from the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "figures.json"
    figures: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    questions: dict[str, Any] = {
        f"score of {pairs} pairs": lambda pairs=pairs: of_scores(pairs) for pairs in PAIRS
    }
    for panel in PANELS:
        for starts in STARTS:
            questions[f"panel of {panel}, {starts} starts"] = lambda panel=panel, starts=starts: (
                of_panel(panel, starts)
            )
    for pairs, starts, deviation in TOURNAMENTS:
        name = f"ratings by {pairs} pairs, {starts} starts, {deviation:g} Elo"
        questions[name] = lambda pairs=pairs, starts=starts, deviation=deviation: of_ratings(
            pairs, starts, deviation
        )
    with Progress(disable=not sys.stderr.isatty()) as progress:
        for name, question in progress.track(questions.items(), description="intervals"):
            if name not in figures:
                begun(folder, "intervals", name)
                figures[name] = question()
                path.write_text(json.dumps(figures, indent=1), "utf-8")
    return {name: figures[name] for name in questions}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    figures = measured(folder)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(folder, "intervals")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
