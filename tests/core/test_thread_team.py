"""Threads that work together on a batch: as one does, on whatever arrays it has, also after something went wrong."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from tkm_env import Batch
from tkm_env.core import thread_team as team
from tkm_env.core import work_sharing as sharing
from tkm_env.core.jit import COMPILES
from tkm_env.core.thread_team import Team

pytestmark = pytest.mark.skipif(not COMPILES, reason="uncompiled, one thread does it all")


def begun(num_threads: int, games: int = 40) -> Batch:
    batch = Batch(games, num_threads=num_threads, chapters="convergence")
    batch.reset(seed=1)
    return batch


def assert_step_alike(one: Batch, many: Batch, steps: int = 20) -> None:
    seen = [batch.new_observations() for batch in (one, many)]
    for step in range(steps):
        for batch, observations in zip((one, many), seen, strict=True):
            batch.step(batch.random_actions(), observations)
        assert one.states.tobytes() == many.states.tobytes(), f"states after step {step}"
        assert one.masks.tobytes() == many.masks.tobytes(), f"masks after step {step}"
        assert seen[0].tobytes() == seen[1].tobytes(), f"observations after step {step}"


def test_no_more_threads_than_cores_or_than_there_are_games_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team, "cores", lambda: 4)
    expected = {(1, 10_000): 1, (3, 10_000): 3, (8, 10_000): 4, (8, 600): 3, (8, 255): 1}
    assert {asked: Team(*asked).num_threads for asked in expected} == expected


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("games", [2, 9, 40, 1500])
@pytest.mark.parametrize("num_threads", [2, 5])
def test_every_game_is_played_once_however_the_parts_fall(games: int, num_threads: int) -> None:
    assert_step_alike(begun(1, games), begun(num_threads, games))


def test_threads_take_every_game_once_from_both_ends_in_ever_smaller_parts() -> None:
    plainly: list[Any] = [sharing.hand_out, sharing.take_part, sharing.part_done]
    hand_out, take_part, part_done = (function.py_func for function in plainly)
    board = sharing.new_board(1000, 2)
    assert sharing.all_done(board)
    hand_out(board, 3, 0)
    front, back = 0, 1000
    sizes = []
    while front < back:
        assert not sharing.all_done(board)
        for thread in (0, 1):
            first, until = take_part(board, thread)
            if until:
                assert first == front if thread == 0 else until == back, f"thread {thread} took {first} to {until}"
                front, back = (until, back) if thread == 0 else (front, first)
                sizes.append(until - first)
                part_done(board, until - first)
    assert front == back
    assert sum(sizes) == 1000
    assert sizes == sorted(sizes, reverse=True)
    assert sharing.all_done(board)


@pytest.mark.usefixtures("threads_for_few_games")
def test_all_helpers_are_called() -> None:
    called: set[int] = set()
    workers = Team(3, 100)
    for _ in range(500):
        workers.work(lambda board, thread, *arguments: called.add(thread), 0, 0)
        if called == {0, 1, 2}:
            break
        time.sleep(0.01)
    assert called == {0, 1, 2}


@pytest.mark.usefixtures("threads_for_few_games")
def test_helpers_that_fell_asleep_come_again() -> None:
    one, many = begun(1), begun(3)
    for _ in range(5):
        assert_step_alike(one, many, 2)
        time.sleep(0.02)


@pytest.mark.usefixtures("threads_for_few_games")
def test_helpers_work_on_arrays_that_took_the_place_of_others() -> None:
    one, many = begun(1), begun(3)
    assert_step_alike(one, many)
    for batch in (one, many):
        batch.states = batch.states[::-1].copy()
        batch.streams = batch.streams[::-1].copy()
        batch.masks = np.ascontiguousarray(batch.masks[::-1])
    assert_step_alike(one, many)


@pytest.mark.usefixtures("threads_for_few_games")
def test_a_call_that_was_interrupted_while_it_waited_is_over_before_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    one, many = begun(1), begun(3)
    observations = one.new_observations()
    one.play(one.random_actions())
    actions = many.random_actions()

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        answers = iter([True, False])
        patched.setattr(team, "all_done", lambda board: next(answers))
        patched.setattr(time, "sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            many.play(actions)
    many.observe(observations)
    assert_step_alike(one, many)


@pytest.mark.usefixtures("threads_for_few_games")
def test_what_a_helper_raised_is_reported_in_the_next_call_and_then_forgotten() -> None:
    workers = Team(2, 100)
    fails = True

    def work(board: np.ndarray, thread: int, *arguments: Any) -> None:
        if thread == 1 and fails:
            raise MemoryError("no room in the helper")

    def call_until_a_helper_came() -> None:
        for _ in range(200):
            workers.work(work, 0, 0)
            time.sleep(0.01)

    with pytest.raises(MemoryError, match="no room in the helper"):
        call_until_a_helper_came()
    fails = False
    workers.work(work, 0, 0)
