"""Threads work together on a batch with the results of one thread.

They do so on any arrays, also after something went wrong.
"""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tkm_env import Batch, ConcurrentUseError, TKMError
from tkm_env.compiled import threads as team
from tkm_env.compiled import work_sharing as sharing
from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.threads import ThreadTeam

needs_timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX")
needs_threads = pytest.mark.skipif(not COMPILES, reason="uncompiled, one thread does it all")


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


def helpers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("tkm_env-")]


def eventually(happened: Callable[[], bool]) -> bool:
    """Whether it happens within a minute."""
    until = time.monotonic() + 60
    while not happened() and time.monotonic() < until:
        time.sleep(0.001)
    return happened()


# Who works.


@needs_threads
def test_no_more_threads_than_cores_or_than_there_are_games_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(team, "cores", lambda: 4)
    expected = {(1, 10_000): 1, (3, 10_000): 3, (8, 10_000): 4, (8, 600): 3, (8, 255): 1}
    assert {asked: ThreadTeam(*asked).num_threads for asked in expected} == expected


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("games", [2, 9, 40, 1500])
@pytest.mark.parametrize("num_threads", [2, 5])
def test_every_game_is_played_once_however_the_chunks_fall(games: int, num_threads: int) -> None:
    assert_step_alike(begun(1, games), begun(num_threads, games))


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("items", [0, 1, 7, 8, 100])
def test_every_item_is_in_one_range(items: int, threads: int) -> None:
    found: list[int] = []
    numbers: set[int] = set()

    def note(thread: int, chosen: slice) -> None:
        numbers.add(thread)
        found.extend(range(items)[chosen])

    team.in_ranges(note, items, threads)
    assert sorted(found) == list(range(items))
    assert numbers <= {*range(threads)}


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
def test_threads_take_no_more_ranges_once_the_caller_is_interrupted() -> None:
    interrupted, taken = threading.Event(), []

    def work(thread: int, chosen: slice) -> None:
        taken.append(chosen.start)
        if thread == 0:
            interrupted.set()
            raise KeyboardInterrupt
        assert interrupted.wait(60)

    with pytest.raises(KeyboardInterrupt):
        team.in_ranges(work, 10_000, 3)
    assert len(taken) < 20, "the rest is left"


@pytest.fixture
def plain_sharing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What threads share a task with is plain Python."""
    for name in ("post_tasks", "claim_chunk", "chunk_done", "wait_for_change", "wake"):
        function = getattr(sharing, name)
        monkeypatch.setattr(sharing, name, getattr(function, "py_func", function))


@pytest.mark.usefixtures("plain_sharing")
def test_a_helper_sleeps_until_a_task_is_posted(monkeypatch: pytest.MonkeyPatch) -> None:
    control = sharing.new_control(100, 2)
    acquire, slept = sharing.acquire_lock, []

    def sleep(lock: int) -> None:
        slept.append(lock)
        sharing.post_tasks(control, 1, 0)
        acquire(lock)

    monkeypatch.setattr(sharing, "acquire_lock", sleep)
    assert sharing.claim_chunk(control, 1) == (75, 100)
    assert len(slept) == 1


@pytest.mark.usefixtures("plain_sharing")
def test_threads_claim_every_game_once_from_both_ends_in_ever_smaller_chunks() -> None:
    control = sharing.new_control(1000, 2)
    sharing.post_tasks(control, 1, 0)
    front, back, thread = 0, 1000, 0
    sizes = []
    while front < back:
        first, until = sharing.claim_chunk(control, thread)
        assert first == front if thread == 0 else until == back, (
            f"thread {thread} claimed {first} to {until}"
        )
        front, back = (until, back) if thread == 0 else (front, first)
        sizes.append(until - first)
        sharing.chunk_done(control, until - first)
        thread = 1 - thread
    assert front == back
    assert sum(sizes) == 1000
    assert sizes == sorted(sizes, reverse=True)
    assert sharing.claim_chunk(control, 0) == (0, 0)
    sharing.post_tasks(control, sharing.CLOSE, 0)
    assert sharing.claim_chunk(control, 1) == (0, 0)


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
def test_all_helpers_are_started() -> None:
    started: set[int] = set()
    workers = ThreadTeam(3, 100)
    workers.work(lambda control, thread, *given: started.add(thread), (), ())
    assert eventually(lambda: started == {0, 1, 2})


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
def test_helpers_that_fell_asleep_come_again() -> None:
    one, many = begun(1), begun(3)
    for _ in range(5):
        assert_step_alike(one, many, 2)
        time.sleep(0.02)


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
def test_helpers_work_on_arrays_that_took_the_place_of_others() -> None:
    one, many = begun(1), begun(3)
    assert_step_alike(one, many)
    for batch in (one, many):
        batch._states = batch.states[::-1].copy()
        batch._streams = batch.streams[:, ::-1].copy()
        batch._masks = np.ascontiguousarray(batch.masks[::-1])
        batch._games = batch._games._replace(
            states=batch._states, streams=batch._streams, masks=batch._masks
        )
    assert_step_alike(one, many)


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
def test_helpers_leave_with_the_batch_or_the_arrays_they_were_for() -> None:
    before = set(helpers())
    batch = begun(3)
    first = set(helpers()) - before
    assert len(first) == 2
    batch._games = batch._games._replace(masks=batch.masks.copy())
    batch.random_actions()
    assert eventually(lambda: not first & set(helpers()))
    assert len(set(helpers()) - before) == 2
    del batch
    assert eventually(lambda: set(helpers()) <= before)


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
def test_where_no_thread_can_be_started_the_caller_does_it_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert_step_alike(begun(1), begun(3))


# Interrupts, the end of the process, forks.


class TimerError(Exception):
    """What a signal raises."""


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
@needs_timers
def test_no_helper_writes_after_a_call_that_a_signal_ended() -> None:
    batch = begun(3, 2000)
    batch.random_actions()
    interrupted = 0

    def interrupt(number: int, frame: object) -> None:
        raise TimerError

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for round_number in range(100):
            observations = batch.new_observations()
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-4 + 1e-5 * round_number)
                while True:
                    batch.step(batch.random_actions(), observations)
            except TimerError:
                interrupted += 1
            arrays = (
                observations,
                batch.states,
                batch.masks,
                batch.results,
                batch.illegal,
                batch.streams,
            )
            left = [array.tobytes() for array in arrays]
            time.sleep(1e-3)
            assert left == [array.tobytes() for array in arrays], f"round {round_number}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted == 100
    one, many = begun(1), begun(3)
    for other in (one, many):
        other.reset(seed=2)
    assert_step_alike(one, many)


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
def test_a_batch_goes_on_after_an_interrupt_while_its_helpers_were_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, many = begun(1), begun(3)
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    for batch in (one, many):
        batch._masks = batch.masks.copy()
        batch._games = batch._games._replace(masks=batch._masks)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            many.let_play(lambda *given: None)
    assert_step_alike(one, many)


@pytest.mark.slow
@needs_threads
@needs_timers
def test_a_process_ends_while_helpers_sleep_and_signals_come() -> None:
    code = """
import atexit, signal
from tkm_env import Batch
from tkm_env.compiled import threads as team
team.cores = lambda: 8
batches = [Batch(2000, num_threads=4) for _ in range(3)]
for batch in batches:
    batch.step(batch.random_actions(), batch.new_observations())
atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
atexit.register(lambda: batches[0].step(batches[0].random_actions(), batches[0].new_observations()))
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
"""
    for _ in range(3):
        assert (
            subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0
        )


def _report(pipe: Any, batch: Batch) -> None:
    batch.reset(seed=1)
    assert_step_alike(begun(1), batch, 5)
    pipe.send("done")
    pipe.close()


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs POSIX")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_process_forked_while_another_thread_steps_goes_on() -> None:
    batch, observations = begun(2), begun(2).new_observations()
    stopped = threading.Event()

    def step() -> None:
        while not stopped.is_set():
            batch.step(batch.random_actions(), observations)

    stepping = threading.Thread(target=step)
    stepping.start()
    context = multiprocessing.get_context("fork")
    try:
        for _ in range(5):
            receiving, sending = context.Pipe(duplex=False)
            process = context.Process(target=_report, args=(sending, batch))
            process.start()
            sending.close()
            try:
                assert receiving.poll(60), "the forked process hangs"
                assert receiving.recv() == "done"
                process.join(60)
                assert process.exitcode == 0
            finally:
                process.kill()
                process.join()
    finally:
        stopped.set()
        stepping.join()


# A second Python thread.


def in_another_thread(call: Callable[[], object]) -> BaseException | None:
    """What it raises there."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised[0] if raised else None


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_second_thread_is_refused_while_one_is_in_a_call_and_changes_nothing(
    num_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = begun(num_threads)
    actions, observations = batch.random_actions(), batch.new_observations()
    calls: list[Callable[[], object]] = [
        lambda: batch.step(actions, observations),
        lambda: batch.play(actions),
        lambda: batch.reset(seed=3),
        lambda: batch.observe(observations),
        lambda: batch.play_at_random(np.zeros(40, np.int64)),
        *(
            batch.random_actions,
            lambda: batch.let_play(lambda *given: None),
            lambda: batch.set_game(0, batch.game(1)),
        ),
        lambda: batch.draw(np.ones(40, np.bool_), 2),
    ]
    raised: list[BaseException | None] = []

    def work(*given: Any, **alone: bool) -> None:
        before = batch.states.tobytes(), batch.streams.tobytes(), batch.masks.tobytes()
        raised.extend(map(in_another_thread, calls))
        assert before == (batch.states.tobytes(), batch.streams.tobytes(), batch.masks.tobytes())

    with monkeypatch.context() as patched:
        patched.setattr(batch._team, "work", work)
        batch.random_actions()
    assert [type(error) for error in raised] == [ConcurrentUseError] * len(calls)
    assert issubclass(ConcurrentUseError, TKMError)
    assert in_another_thread(batch.random_actions) is None, "one thread after the other may use it"
    batch.random_actions()


@needs_threads
@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("num_threads", [1, 3])
def test_two_threads_that_step_one_batch_do_it_no_harm(num_threads: int) -> None:
    batch = begun(num_threads, 500)
    rooms = [batch.new_observations() for _ in range(2)]
    raised: list[Exception] = []

    def step(room: np.ndarray) -> None:
        try:
            batch.step(batch.random_actions(), room)
        except Exception as error:
            raised.append(error)

    def keep_stepping(room: np.ndarray) -> None:
        for _ in range(300):
            step(room)

    threads = [threading.Thread(target=keep_stepping, args=(room,)) for room in rooms]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {type(error) for error in raised} <= {ConcurrentUseError}
    one = begun(1, 500)
    batch.reset(seed=1)
    assert_step_alike(one, batch, 5)
