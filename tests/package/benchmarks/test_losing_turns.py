"""What is said of turns that lose games, by positions that were solved by trying everything."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from rich.progress import Progress

from benchmarks.losing_turns import (
    LOSERS,
    WINS,
    PlayedTurn,
    Prover,
    losing_choices,
    lost_games,
    play_turn,
    safe_positions,
    turns_of,
)
from tests.games.tkm import tactics
from tkm_env import Game, GameConfig
from tkm_env.arena.match import Match
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.turns import played
from tkm_env.games.registry import TKM
from tkm_env.players import make_agent

pytestmark = pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")

TASKS = {
    kind: [task for task in tactics.tasks() if task["kind"] == kind and task["turns"] <= max(WINS)]
    for kind in ("win", "avoid")
}


@pytest.mark.parametrize("task", TASKS["win"], ids=lambda task: task["id"])
def test_a_win_is_found_in_the_fewest_turns(task: dict[str, Any]) -> None:
    assert Prover(max(WINS)).loses_in(tactics.game_of(task)) == task["turns"]


@pytest.mark.parametrize("task", TASKS["avoid"], ids=lambda task: task["id"])
def test_a_turn_is_a_losing_one_if_another_is_not(task: dict[str, Any]) -> None:
    prover, before = Prover(task["turns"]), tactics.game_of(task)
    assert prover.is_safe(before)
    good = {played(before, turn).key for turn in task["solution"]}
    for turn in before.turns():
        after = played(before, turn.actions)
        found = prover.turns_to_win([PlayedTurn(before, after)])
        assert (found is None) == (after.key in good), turn.actions


def test_an_earlier_turn_has_lost_a_game_whose_last_could_not_save_it() -> None:
    task = next(task for task in TASKS["avoid"] if task["turns"] == 2)
    prover, before = Prover(2), tactics.game_of(task)
    good = {played(before, turn).key for turn in task["solution"]}
    after = next(turn.after for turn in before.turns() if turn.key not in good)
    slow = next(
        PlayedTurn(answer.after, turn.after)
        for answer in after.turns()
        if answer.result is None and not prover.is_safe(answer.after)
        for turn in answer.after.turns()
        if turn.result is None
    )
    assert prover.loses_in(slow.after) is not None
    assert prover.turns_to_win([PlayedTurn(before, after), slow]) == prover.loses_in(after)


def test_the_turns_of_both_players_make_up_a_game() -> None:
    settings = {"chapters": "growth+influence+memory", "timeline": "draft_powers"}
    players = "greedy", "random"
    record, *_ = Match(*players, 2, TKM.config_from_text(settings), seed=3).play()
    turns = [turn for player in players for turn in turns_of(record, player)]
    turns.sort(key=lambda turn: len(turn.after.history))
    for one, other in pairwise(turns):
        assert one.after == other.before
    assert len(turns[-1].after.history) == len(record["actions"])
    assert turns[-1].after.result == record["result"]


def test_every_lost_game_is_counted_and_none_of_the_others() -> None:
    match = Match("random", "alphabeta:depth=2", 6, GameConfig(max_turns=12))
    records = [*match.play()]
    with Progress(disable=True) as progress:
        found = lost_games(records, "random", progress)
        turned = lost_games(records, "alphabeta:depth=2", progress)
    assert found["games"] == len(records)
    drawn = sum(record["result"] not in ("1-0", "0-1") for record in records)
    assert 0 < drawn < len(records)
    assert found["drawn"] == turned["drawn"] == drawn
    assert found["lost"] + turned["lost"] + found["drawn"] == len(records)
    assert 0 < sum(found["by"]) <= found["lost"]


def test_a_position_without_a_turn_that_does_not_lose_is_left_out() -> None:
    match = Match("random", "alphabeta:depth=2", 4, GameConfig(max_turns=30))
    records = [*match.play()]
    prover = Prover(max(WINS))
    turns = [turn for record in records for turn in turns_of(record, "random")]
    with Progress(disable=True) as progress:
        safe = safe_positions(records, "random", progress)
    assert len(safe) == sum(prover.is_safe(turn.before) for turn in turns) < len(turns)


def test_losing_turns_are_those_of_the_positions_in_which_a_player_chooses_one() -> None:
    games = [tactics.game_of(task) for task in TASKS["avoid"]]
    with Progress(disable=True) as progress:
        found = losing_choices("random", games, progress)
        best = losing_choices("alphabeta:depth=4", games, progress)
    assert found["positions"] == best["positions"] == len(games)
    assert sum(found["by"]) > 0
    assert best["by"][:2] == [0, 0]


@pytest.mark.parametrize("player", LOSERS)
def test_a_player_plays_its_whole_turn_and_no_more(player: str) -> None:
    before = Game(seed=1)
    after = play_turn(make_agent(player), before)
    assert after.turn == before.turn + 1
    assert after.to_act != before.to_act
