"""Analysis: the best lines, as minimax would have them."""

from __future__ import annotations

import pytest

from tests.games.tkm.positions import VARIED, WHITE_WINS
from tests.players.tkm.search.helpers import clock_of, positions, turns_of, values
from tkm_env import Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.foundations import time_budget
from tkm_env.players.tkm.search import analysis
from tkm_env.players.tkm.search.alphabeta import Searcher
from tkm_env.players.tkm.search.analysis import Line, analyse


def test_analysis_gives_the_best_lines_in_order_with_legal_turns() -> None:
    game = Game(position=VARIED[3])
    lines = analyse(game._states, lines=3, depth=2)
    assert [line.score for line in lines] == sorted((line.score for line in lines), reverse=True)
    assert len({line.turns[0] for line in lines}) == len(lines) == 3
    for line in lines:
        trial = game.copy()
        for turn in line.turns:
            player = trial.to_act
            for action in turn:
                assert trial.to_act == player
                trial.play(action)
        assert len(line.turns) == 2


def test_analysis_gives_every_line_where_there_are_few() -> None:
    lines = analyse(Game(position=WHITE_WINS)._states, lines=5, depth=3)
    assert [(line.turns, line.wins_in, line.loses_in, line.chance) for line in lines] == [
        ((("focus present",),), 1, None, 1.0),
        ((("focus future",),), 1, None, 1.0),
    ]


def test_analysis_of_a_finished_game_has_no_lines() -> None:
    game = Game(position=WHITE_WINS)
    game.play("focus present")
    assert analyse(game._states) == []


def test_an_analysis_gives_the_first_turns_of_its_lines_depth_by_depth() -> None:
    told: list[list[Line]] = []
    lines = analyse(Game(chapters="growth").state, lines=2, depth=3, on_depth=told.append)
    assert [[line.depth for line in found] for found in told] == [[1, 1], [2, 2], [3, 3]]
    assert [line.turns[0] for line in told[-1]] == [line.turns[0] for line in lines]
    assert all(len(line.turns) == 1 for found in told for line in found)


def test_analysis_shows_the_scores_minimax_has() -> None:
    game = positions((), "2021", 1, seed=9)[0]
    _, after = turns_of(game._states)
    best = sorted((-values(after)).tolist(), reverse=True)[:4]
    assert [line.score for line in analyse(game._states, lines=4, depth=1)] == best


def test_analysis_keeps_to_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = Searcher()
    clock = clock_of(searcher)
    monkeypatch.setattr(time_budget, "time", clock)
    monkeypatch.setattr(analysis, "time", clock)
    seconds = 0.3 if COMPILES else 0.01
    lines = analyse(Game(chapters="growth")._states, lines=3, seconds=seconds, searcher=searcher)
    assert clock.perf_counter() < seconds + 0.003
    assert len(lines) == 3
