"""Results of the endgame tasks: how often an agent is right where the truth is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from statistics import NormalDist, fmean
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.evaluation.score import Interval, share_of
from tkm_env.players.solved_positions import SolvedPosition

_Z: Final = NormalDist().inv_cdf(0.975)
#: The intervals of expected results, from -1 to 1, in which calibration is measured.
_BINS: Final = 10


class Band(NamedTuple):
    """Positions with similar outcomes, a row of the table."""

    name: str
    result: int  # as in `SolvedPosition.expected_result`
    least: int = 0  # the fewest turns until the game is decided
    most: int = 10**6  # the most

    def has(self, solved: SolvedPosition) -> bool:
        """Whether a position belongs to the band."""
        return solved.expected_result == self.result and self.least <= solved.outcome <= self.most


#: The rows of the table. Turns are counted over both sides.
BANDS: Final = (
    Band("win at once", 1, 1, 1),
    Band("win in 3 to 7 turns", 1, 3, 7),
    Band("win in 9 to 13", 1, 9, 13),
    Band("win in 15 to 27", 1, 15, 27),
    Band("win in 29 or more", 1, 29),
    Band("neither can win", 0),
    Band("loss in 2 to 6", -1, 2, 6),
    Band("loss in 8 to 14", -1, 8, 14),
    Band("loss in 16 or more", -1, 16),
)


class PlayedTurn(NamedTuple):
    """A turn that an agent played in a solved position.

    Attributes:
        solved: the position.
        outcome: the outcome of the turn; None if the agent committed a fault instead.
        expected: the result that the agent expected, from -1 to 1; None if it cannot tell.
    """

    solved: SolvedPosition
    outcome: int | None
    expected: float | None

    @property
    def is_best(self) -> bool:
        """Whether no turn is better: it wins soonest, keeps a draw, or loses latest."""
        return self.outcome == self.solved.outcome

    @property
    def keeps_result(self) -> bool:
        """Whether it keeps the win or the draw; without a fault, any turn keeps a loss."""
        return self.outcome is not None and self.solved.keeps_result(self.outcome)


class Mean(NamedTuple):
    """A mean with its 95% interval, by the normal distribution."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean | None:
        """The mean of independent observations; None if there are none."""
        if not values:
            return None
        half = _Z * float(np.std(values)) / math.sqrt(len(values))
        mean = fmean(values)
        return cls(mean, mean - half, mean + half)


class Values(NamedTuple):
    """How well an agent's expectations agree with the truth, on a scale from -1 to 1.

    Attributes:
        positions: the number of positions in which it told what it expects.
        error: the mean distance from the true result.
        bias: how much too high its expectations are on average.
        root_mean_square: the root of the mean squared error.
        calibration: the mean distance, weighted by positions, between the mean expectation and the
            mean true result in ten intervals of expectations: the expected calibration error.
        bins: for each of these intervals that has any, the number of positions, their mean
            expectation and their mean true result.
    """

    positions: int
    error: Mean
    bias: Mean
    root_mean_square: float
    calibration: float
    bins: list[tuple[int, float, float]]

    @classmethod
    def of(cls, turns: Iterable[PlayedTurn]) -> Values | None:
        """Compare what an agent expected in these positions; None if it never told."""
        found = [
            (turn.expected, turn.solved.expected_result)
            for turn in turns
            if turn.expected is not None
        ]
        if not found:
            return None
        expected, true = np.array(found, np.float64).T
        error, bias = Mean.of([*abs(expected - true)]), Mean.of([*(expected - true)])
        assert error is not None
        assert bias is not None
        numbers = np.minimum((expected + 1) / 2 * _BINS, _BINS - 1).astype(np.int64)
        bins = [
            (int(own.sum()), float(expected[own].mean()), float(true[own].mean()))
            for own in (numbers == number for number in range(_BINS))
            if own.any()
        ]
        calibration = sum(count * abs(told - is_so) for count, told, is_so in bins) / len(found)
        squares = float(np.mean((expected - true) ** 2))
        return cls(len(found), error, bias, math.sqrt(squares), calibration, bins)


class Row(NamedTuple):
    """What an agent did in the positions of a band, or in all of a task.

    Attributes:
        name: of the band, or ``"all"``.
        positions: their number.
        best: the share in which no turn is better than that of the agent.
        kept: the share, of those that are not lost, in which the agent kept the win or the draw;
            None if there are none.
        lost_turns: of those that were won and kept, how many turns later the win is; None if there
            are none.
        best_by_chance: the share of best turns if all turns were equally likely.
        kept_by_chance: the share of turns that keep the result, likewise.
    """

    name: str
    positions: int
    best: Interval
    kept: Interval | None
    lost_turns: Mean | None
    best_by_chance: float
    kept_by_chance: float | None

    @classmethod
    def of(cls, name: str, turns: Sequence[PlayedTurn]) -> Row:
        """Count the turns of a band.

        Args:
            name: the name of the row.
            turns: the turns, at least one.

        Returns:
            The row.
        """
        open_turns = [turn for turn in turns if turn.solved.expected_result >= 0]
        lost_turns = [
            float(turn.outcome - turn.solved.outcome)
            for turn in open_turns
            if turn.outcome is not None and turn.solved.expected_result == 1 and turn.keeps_result
        ]
        return cls(
            name,
            len(turns),
            _share(turns, lambda turn: turn.is_best),
            _share(open_turns, lambda turn: turn.keeps_result) if open_turns else None,
            Mean.of(lost_turns),
            _by_chance(turns, lambda solved, outcome: outcome == solved.outcome),
            _by_chance(open_turns, SolvedPosition.keeps_result) if open_turns else None,
        )


class EndgameResult:
    """The result of an agent in an endgame task.

    Args:
        task: the name of the task.
        turns: what it played in each position.
        won: the positions that it played to the end, each with the number of turns of both sides
            in which it won, or None if it did not.

    Attributes:
        task: the name of the task.
        won: as given.
    """

    def __init__(
        self,
        task: str,
        turns: Sequence[PlayedTurn],
        won: Sequence[tuple[SolvedPosition, int | None]],
    ) -> None:
        self.task, self._turns, self.won = task, turns, won

    @cached_property
    def rows(self) -> list[Row]:
        """A row for each band that has positions, and one for all."""
        of_bands = {
            band.name: [turn for turn in self._turns if band.has(turn.solved)] for band in BANDS
        }
        rows = {name: turns for name, turns in of_bands.items() if turns}
        return [Row.of(name, turns) for name, turns in (*rows.items(), ("all", self._turns))]

    def as_json(self) -> dict[str, Any]:
        """Return the result as an object of JSON's types."""
        values = Values.of(self._turns)
        return {
            "task": self.task,
            "faults": sum(turn.outcome is None for turn in self._turns),
            "rows": [_plain(row) for row in self.rows],
            "values": None if values is None else _plain(values),
            "played_out": self._played_out(),
        }

    def _played_out(self) -> list[dict[str, Any]] | None:
        """Return how many wins were won, by band and in all; None if none was played out."""
        rows = []
        for band in (*BANDS, None):
            own = [one for one in self.won if band is None or band.has(one[0])]
            if own:
                longer = [turns - solved.outcome for solved, turns in own if turns is not None]
                later = Mean.of([float(turns) for turns in longer])
                rows.append(
                    {
                        "name": "all" if band is None else band.name,
                        "positions": len(own),
                        "won": _share(own, lambda one: one[1] is not None)._asdict(),
                        "lost_turns": None if later is None else later._asdict(),
                    }
                )
        return rows or None


def _share(observations: Sequence[Any], is_true: Callable[[Any], bool]) -> Interval:
    """Return the share of independent observations that are true, with its interval."""
    return share_of([(number, is_true(one)) for number, one in enumerate(observations)])


def _by_chance(turns: Sequence[PlayedTurn], counts: Callable[[SolvedPosition, int], bool]) -> float:
    """Return the mean share of the turns of a position that count."""
    return fmean(
        fmean(counts(turn.solved, outcome) for outcome in turn.solved.turns) for turn in turns
    )


def _plain(value: Any) -> Any:
    """Return nested named tuples as objects."""
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    return value


def is_endgame_result(task: Mapping[str, Any]) -> bool:
    """Whether this is a task's result in a report as `EndgameResult.as_json` returns it."""
    return "played_out" in task


def table_of(task: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table of one agent's result in a task.

    Args:
        task: the result, as `EndgameResult.as_json` returns it.
    """
    head = ["positions", "number", "best turn", "result kept", "turns lost", "converted"]
    won = {row["name"]: row["won"] for row in task["played_out"] or ()}
    rows = [
        [
            row["name"],
            f"{row['positions']:,}",
            _percent(row["best"], row["best_by_chance"]),
            _percent(row["kept"], row["kept_by_chance"]),
            _mean(row["lost_turns"]),
            _percent(won.get(row["name"])),
        ]
        for row in task["rows"]
    ]
    return head, rows


def summary_of(
    reports: Iterable[Mapping[str, Any]], task: str
) -> tuple[list[str], list[list[str]]]:
    """Make a table of several agents' results in a task.

    Args:
        reports: reports of the benchmark; those without the task are left out.
        task: the name of the task.

    Returns:
        The head and the rows.
    """
    head = ["agent", "best turn", "result kept", "turns lost", "converted"]
    head += ["value error", "calibration", "tkm_env"]
    rows = []
    for report in reports:
        for found in report["tasks"]:
            if found["task"] == task:
                whole, values = found["rows"][-1], found["values"]
                rows.append(
                    [
                        report["name"],
                        _percent(whole["best"]),
                        _percent(whole["kept"]),
                        _mean(whole["lost_turns"]),
                        _percent(found["played_out"][-1]["won"] if found["played_out"] else None),
                        "" if values is None else _mean(values["error"], 3),
                        "" if values is None else f"{values['calibration']:.3f}",
                        report["package"],
                    ]
                )
    return head, rows


def caption_of(task: Mapping[str, Any]) -> str:
    """Return the caption of a table of one agent's result, or of several agents' in a task."""
    return (
        f"{task['task']}: shares of solved positions in percent ± 95% interval, in parentheses for "
        "random turns; turns lost on the way to a win; wins converted when played out."
    )


def _percent(share: Mapping[str, float] | None, by_chance: float | None = None) -> str:
    """Format a share in percent, with the wider side of its interval."""
    if share is None:
        return ""
    middle, low, high = (100 * share[key] for key in Interval._fields)
    compared = "" if by_chance is None else f" ({100 * by_chance:.0f})"
    return f"{middle:.1f} ± {max(high - middle, middle - low):.1f}{compared}"


def _mean(found: Mapping[str, float] | None, decimals: int = 1) -> str:
    if found is None:
        return ""
    return f"{found['mean']:.{decimals}f} ± {found['high'] - found['mean']:.{decimals}f}"
