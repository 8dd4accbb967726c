"""Alpha-beta solves every tactical position completely.

For each position, the file says what trying everything finds.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.tkm import tactics
from tkm_env.compiled.decorators import COMPILES
from tkm_env.players.tkm.search.alphabeta import MAX_LINES, WIN, Searcher

TASKS = tactics.tasks()
uncompiled = pytest.mark.skipif(not COMPILES, reason="takes hours uncompiled")


def outcomes_of(task: dict[str, Any], turns: list[list[str]]) -> set[bytes]:
    """The positions that these turns lead to."""
    contents = set()
    for turn in turns:
        game = tactics.game_of(task)
        for action in turn:
            game.play(action)
        contents.add(game._states.tobytes())
    return contents


def test_the_file_has_forty_tasks_of_every_kind_over_all_sets_of_chapters() -> None:
    assert len(TASKS) >= 40
    assert (
        len({task["id"] for task in TASKS})
        == len({task["position"] for task in TASKS})
        == len(TASKS)
    )
    assert {(task["kind"], task["turns"]) for task in TASKS} == set(tactics.KINDS)
    assert {task["position"].split(" ")[1] for task in TASKS} == {
        "-",
        "G",
        "I",
        "M",
        "GI",
        "GM",
        "IM",
        "GIM",
    }
    assert {task["edition"] for task in TASKS} == {"2021", "2022"}


def assert_solved(task: dict[str, Any]) -> None:
    game = tactics.game_of(task)
    turns, searcher = task["turns"], Searcher()
    ends = 2 * turns - 1 if task["kind"] == "win" else 2 * turns
    every = searcher.best_turns(game._states, min(MAX_LINES, len(task["solution"]) + 1), depth=ends)
    solution = outcomes_of(task, task["solution"])
    solved = [
        one
        for one in every
        if (one.score == WIN - ends if task["kind"] == "win" else one.score > ends - WIN)
    ]
    names = [[tactics.ACTIONS[action] for action in one.turn] for one in solved]
    assert outcomes_of(task, names) == solution


@pytest.mark.parametrize("task", [task for task in TASKS if task["turns"] < 3])
@uncompiled
def test_alphabeta_solves_it(task: dict[str, Any]) -> None:
    assert_solved(task)


@pytest.mark.parametrize("task", [task for task in TASKS if task["turns"] == 3])
@pytest.mark.slow
@uncompiled
def test_alphabeta_solves_it_three_turns_ahead(task: dict[str, Any]) -> None:
    assert_solved(task)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.nightly
@uncompiled
def test_trying_everything_gives_the_same_solution(task: dict[str, Any]) -> None:
    game = tactics.game_of(task)
    assert tactics.is_no_sooner(game, task["kind"], task["turns"])
    assert tactics.solve(game, task["kind"], task["turns"]) == task["solution"]
