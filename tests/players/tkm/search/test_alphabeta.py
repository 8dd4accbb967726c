"""Alpha-beta against plain minimax; games that go in circles; time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tests.games.tkm import tactics
from tests.games.tkm.positions import TALK, VARIED, WHITE_WINS
from tests.games.tkm.random_games import seed_of
from tests.players.tkm.search.helpers import (
    MORE,
    clock_of,
    keys,
    minimax,
    position_keys,
    positions,
    turns_of,
    values,
)
from tests.time_budgets import Cut
from tkm_env import ACTIONS, Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.foundations import time_budget
from tkm_env.games.tkm.engine.state import OVER, WON
from tkm_env.players.tkm.search import alphabeta
from tkm_env.players.tkm.search.alphabeta import WIN, Searcher, turns_to_end
from tkm_env.players.tkm.search.repetition import REPETITION_VALUE


@each_setting
def test_alphabeta_equals_minimax(chapters: tuple[str, ...], edition: str) -> None:
    searcher = Searcher(table_bits=10)
    for game in positions(chapters, edition, MORE // 2 or 1, max_turns=60, **TALK):
        for depth in (1, 2) if COMPILES else (1,):
            assert searcher.search(game._states, depth=depth).score == minimax(
                game._states, depth
            ), game.position


@each_setting
@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="takes hours uncompiled")
def test_alphabeta_equals_minimax_deeper(
    chapters: tuple[str, ...], edition: str, pytestconfig: pytest.Config
) -> None:
    searcher = Searcher(table_bits=12)
    for game in positions(
        chapters, edition, max(2, pytestconfig.getoption("games") // 50), seed=1, max_turns=60
    ):
        if len(turns_of(game._states)[0]) < 150:
            assert searcher.search(game._states, depth=3).score == minimax(game._states, 3), (
                game.position
            )


@pytest.mark.parametrize("position", VARIED)
def test_alphabeta_plays_at_every_step(position: str) -> None:
    game = Game(position=position, **TALK)
    found = Searcher(table_bits=10).search(game._states, depth=1)
    player = game.to_act
    for action in found.turn:
        assert game.to_act == player
        game.play(action)
    assert game.result is not None or game.to_act != player


def test_alphabeta_near_the_turn_limit_does_not_hope_for_more_turns() -> None:
    game = Game(position=VARIED[0].removesuffix("1") + "10", max_turns=11)
    assert Searcher().search(game._states, depth=4).score == 0


def test_alphabeta_declines_a_draw_when_better_and_accepts_when_worse() -> None:
    better = (
        "WW../..../..../....|WW../..../..../...B|"
        "W.../..../..../...B - w a PF - 2/1 - ---/--- -/- 20"
    )
    worse = (
        "W.../..../..../...B|W.../..../..../..BB|"
        "..../..../..../..BB - w a PF - 0/2 - ---/--- -/- 20"
    )
    assert [
        ACTIONS[Searcher().search(Game(position=text, **TALK)._states, depth=2).turn[0]]
        for text in (better, worse)
    ] == ["decline draw", "accept draw"]


def test_a_proof_is_played_out_in_as_many_turns_as_it_says() -> None:
    """Both sides follow the search: each turn brings the win one turn nearer, as predicted."""
    proved = 0
    for game in positions(("memory",), "2021", 4 * MORE, seed=3):
        end = turns_to_end(Searcher().search(game._states, depth=3 if COMPILES else 1).score)
        if end is None:
            continue
        proved += 1
        for left in range(end, 0, -1):
            found = Searcher().search(game._states, depth=left)
            assert turns_to_end(found.score) == left
            for action in found.turn:
                game.play(action)
        assert game.winner is not None
    assert proved or not COMPILES


def test_a_search_in_pieces_finds_what_it_finds_at_once() -> None:
    game = Game(position=VARIED[3])
    whole, pieces = Searcher(table_bits=10), Searcher(table_bits=10)
    expected = whole.search(game._states, depth=2)
    pieces.time_budget = Cut(7)
    assert pieces.search(game._states, depth=2) == expected
    assert pieces.time_budget.taken > 10
    assert pieces.played == whole.played


def test_a_search_of_so_many_nodes_is_the_same_at_any_pace() -> None:
    for game in positions(("growth",), "2021", 3):
        for nodes in (1, 2, 30, 300):
            whole, pieces = Searcher(table_bits=10), Searcher(table_bits=10)
            pieces.time_budget = Cut(7)
            found = whole.search(game._states, nodes=nodes)
            assert pieces.search(game._states, nodes=nodes) == found
            assert whole.nodes == nodes or (
                whole.nodes < nodes and turns_to_end(found.score) is not None
            )
            assert found.turn


@pytest.mark.parametrize("seconds", [0.002, 0.02, 0.2] if COMPILES else [0.002])
def test_alphabeta_keeps_to_its_time(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = Searcher()
    clock = clock_of(searcher)
    monkeypatch.setattr(time_budget, "time", clock)
    for game in positions(("growth", "influence", "memory"), "2021", 3):
        began = clock.perf_counter()
        found = searcher.search(game._states, seconds=seconds)
        assert found.turn
        if turns_to_end(found.score) is None:
            assert seconds <= clock.perf_counter() - began < seconds + 0.001


def test_without_time_alphabeta_still_plays() -> None:
    game = Game(chapters="growth")
    game.play(Searcher().search(game._states, seconds=1e-9).turn[0])


def test_waiting_for_the_compiler_does_not_count_as_thinking(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0

    def compiled_at_first(function: Any) -> Any:
        waits = iter([30.0])

        def run(*given: Any) -> Any:
            nonlocal now
            now += next(waits, 0.001)
            return function(*given)

        return run

    for name in ("_begin", "_continue"):
        monkeypatch.setattr(alphabeta, name, compiled_at_first(getattr(alphabeta, name)))
    monkeypatch.setattr(time_budget, "time", SimpleNamespace(perf_counter=lambda: now))
    found = Searcher().search(Game(position=WHITE_WINS)._states, seconds=1)
    assert turns_to_end(found.score) == 1


def test_a_table_is_not_used_under_other_settings() -> None:
    searcher = Searcher(table_bits=10)
    for edition in ("2021", "2022"):
        game = Game(position=VARIED[2], edition=edition)
        assert searcher.search(game._states, depth=1) == Searcher(table_bits=10).search(
            game._states, depth=1
        )


# Games that go in circles


def circled(states: np.ndarray[Any, Any], seen: np.ndarray[Any, Any], depth: int) -> int:
    """The value for the side to act, found by trying everything.

    A turn to an earlier position is worth a repetition, unless its value is proven.
    """
    _, after = turns_of(states)
    found = []
    for number, key in enumerate(keys(after)):
        state = after[number : number + 1]
        if state["step"][0] == OVER:
            value = WIN - 1 if state["result"][0] == WON + state["to_act"][0] else 0
        else:
            value = -int(values(state)[0]) if depth == 1 else -minimax(state, depth - 1, 1)
        found.append(REPETITION_VALUE if key in seen and turns_to_end(value) is None else value)
    return max(found)


@each_setting
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_turns_to_positions_seen_are_worth_a_circle_unless_they_are_proven(
    chapters: tuple[str, ...], share: float
) -> None:
    """And what is found then is not taken for true in another game, nor the other way round."""
    searcher, generator = Searcher(table_bits=12), np.random.default_rng(seed_of(chapters, share))
    for game in positions(chapters, "2021", MORE // 2 or 1, seed=2, max_turns=60):
        _, after = turns_of(game._states)
        seen = position_keys(after[generator.random(len(after)) < share])
        for depth in (1, 2) if COMPILES else (1,):
            expected = circled(game._states, seen, depth), minimax(game._states, depth)
            for _ in range(2):
                assert (
                    searcher.search(game._states, depth=depth, history=seen).score == expected[0]
                ), game.position
                assert searcher.search(game._states, depth=depth).score == expected[1], (
                    game.position
                )


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
def test_a_win_is_found_though_all_its_ways_lead_through_positions_seen() -> None:
    proved = 0
    for task in tactics.tasks():
        game = tactics.game_of(task)
        if task["kind"] != "win" or task["turns"] > 2:
            continue
        _, after = turns_of(game._states)
        found = Searcher(table_bits=12).search(
            game._states, depth=2 * task["turns"] - 1, history=position_keys(after)
        )
        assert found.score == WIN - (2 * task["turns"] - 1)
        proved += 1
    assert proved > 20
