"""The principal variations from a position, and what is proven about them."""

import math
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.core.state_arrays import copy_states
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.tkm.engine.actions import ACTIONS, NUM_ACTIONS
from tkm_env.games.tkm.engine.kernels import replay
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import OVER
from tkm_env.players.tkm.search.alphabeta import Searcher, SearchResult, turns_to_end
from tkm_env.players.tkm.search.endgames import known_outcome

#: The share of the time for finding the best turns; the rest is for their continuations.
_SHARE_OF_TURNS: Final = 0.6


class Line(NamedTuple):
    """A line of play from the analysed position."""

    #: The names of the actions, turn by turn, starting with the side to act. A proven line
    #: continues to the end of the game, if time allows; other lines are as long as the search was
    #: deep.
    turns: tuple[tuple[str, ...], ...]

    #: The value for the side to act, in hundredths of a logit of winning; near `alphabeta.WIN` or
    #: its negative if proven.
    score: int
    #: The depth of the search, in turns.
    depth: int
    #: Whether the table of endgames knows that neither side can force a win within the turn limit.
    is_drawn: bool = False

    @property
    def wins_in(self) -> int | None:
        """The number of its turns in which the side to act wins, if proven: 1 if this turn wins."""
        end = turns_to_end(self.score)
        return None if end is None or self.score < 0 else (end + 1) // 2

    @property
    def loses_in(self) -> int | None:
        """The number of its turns in which the opponent wins, if proven."""
        end = turns_to_end(self.score)
        return None if end is None or self.score > 0 else (end + 1) // 2

    @property
    def chance(self) -> float:
        """The side to act's winning chance according to the evaluation; 1, 0 or 0.5 if proven."""
        if turns_to_end(self.score) is not None:
            return float(self.score > 0)
        return 0.5 if self.is_drawn else 1 / (1 + math.exp(-self.score / 100))

    @property
    def worth(self) -> str:
        """The value of the line for the side to act, in words."""
        if self.wins_in is not None:
            return f"wins in {self.wins_in}"
        if self.loses_in is not None:
            return f"loses in {self.loses_in}"
        if self.is_drawn:
            return "draws"
        return f"{self.score / 100:+.2f}, {self.chance:.0%} to win, depth {self.depth}"


def analyse(
    states: np.ndarray[Any, Any],
    *,
    lines: int = 3,
    depth: int | None = None,
    seconds: float | None = None,
    searcher: Searcher | None = None,
    on_depth: Callable[[list[Line]], object] = lambda lines: None,
) -> list[Line]:
    """Find the best lines of play from a position, each beginning with a different turn.

    Args:
        states: STATE of shape (n,); the position is ``states[0]``.
        lines: the largest number of lines to find.
        depth: the number of turns to look ahead, counting both sides; 4 if neither limit is given.
        seconds: the time for the analysis, in seconds.
        searcher: the searcher to use; None for a new one.
        on_depth: called after each depth with the lines found so far, each only a first turn.

    Returns:
        The lines, best first; none if the game is over.
    """
    if states["step"][0] == OVER:
        return []
    if depth is None and seconds is None:
        depth = 4
    searcher = searcher or Searcher()
    deadline = TimeBudget.after(seconds)
    results = searcher.best_turns(
        states,
        lines,
        depth=depth,
        seconds=None if seconds is None else _SHARE_OF_TURNS * seconds,
        on_depth=lambda results: on_depth(
            [_line(states, [result.turn], result) for result in results]
        ),
    )
    found = []
    for number, result in enumerate(results):
        now = time.perf_counter()
        until = now + (deadline - now) / (len(results) - number)
        found.append(
            _line(states, [result.turn, *_continuation(states, result, searcher, until)], result)
        )
    return found


def _line(
    states: np.ndarray[Any, Any], turns: Iterable[tuple[int, ...]], result: SearchResult
) -> Line:
    """Return a line of these turns, with the result of the search for the first of them."""
    names = tuple(tuple(ACTIONS[action] for action in turn) for turn in turns)
    return Line(names, result.score, result.depth, known_outcome(_after(states, result.turn)) == 0)


def _continuation(
    states: np.ndarray[Any, Any], first: SearchResult, searcher: Searcher, deadline: float
) -> list[tuple[int, ...]]:
    """Find the rest of a line after its first turn, by a search for each turn.

    Args:
        states: the position before the line.
        first: the result for its first turn. The line is as long as that search was deep, or
            reaches the end of the game if that is proven.
        searcher: the searcher to use.
        deadline: when to stop, by `time.perf_counter`.

    Returns:
        The turns after the first.
    """
    position, turns = _after(states, first.turn), []
    length = turns_to_end(first.score) or first.depth
    for played in range(1, length):
        left = max(1, min(length, first.depth) - played)
        seconds = deadline - time.perf_counter()
        if position["step"][0] == OVER or seconds <= 0:
            break
        best = searcher.search(position, depth=left, seconds=seconds)
        if best.depth < left and turns_to_end(best.score) is None:
            break
        turns.append(best.turn)
        position = _after(position, best.turn)
    return turns


def _after(states: np.ndarray[Any, Any], turn: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return the position after a turn from ``states[0]``, as an array of its own."""
    after = copy_states(states)
    replay(after, np.array(turn, np.int64), np.zeros(NUM_ACTIONS, np.int8), new_scratch())
    return after
