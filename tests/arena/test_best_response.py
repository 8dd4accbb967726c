"""The player that knows its opponent: what it scores in matches."""

from __future__ import annotations

import pytest

from tkm_env.arena.match import Match, standings
from tkm_env.arena.playing.referee import Conditions
from tkm_env.compiled.decorators import COMPILES


def score(line: str, playouts: int, games: int, game: str) -> float:
    match = Match(
        f"exploit:playouts={playouts}:{line}",
        line,
        games,
        seed=1,
        game=game,
        conditions=Conditions(turn_seconds=None),
    )
    return standings([*match.play()], match)[0].score.share


@pytest.mark.slow
def test_in_tic_tac_toe_it_scores_almost_what_a_best_response_does(tictactoe: str) -> None:
    assert score("random", 50, 40, tictactoe) > 0.85, "from the start a best response expects 0.98"


@pytest.mark.nightly
@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
@pytest.mark.parametrize(
    ("game", "line", "least"),
    [("tkm", "greedy", 0.8), ("tkm", "alphabeta:depth=2", 0.8), ("terminus", "greedy", 0.6)],
)
def test_it_clearly_beats_whom_it_knows(game: str, line: str, least: float) -> None:
    assert score(line, 40, 8, game) >= least
