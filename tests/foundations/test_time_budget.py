"""Long work runs in short pieces, with the same result.

Between pieces other threads run, interrupts are seen, and other threads may end the work.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.games.tkm.positions import VARIED
from tests.time_budgets import Cut
from tkm_env import Batch, ConcurrentUseError, Game, TerminusGame
from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.random_numbers import new_stream
from tkm_env.foundations import time_budget
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.players import AlphaBetaAgent, GreedyAgent, MCTSAgent
from tkm_env.players.terminus.ismcts import ISMCTSAgent
from tkm_env.players.tkm.search import mcts as montecarlo
from tkm_env.players.tkm.search import perft
from tkm_env.players.tkm.search import tree as trees
from tkm_env.players.tkm.search.evaluation import new_evaluator
from tkm_env.players.tkm.search.repetition import NO_HISTORY

#: Where white has many legal actions.
TKM = Game(position=VARIED[3])
TERMINUS = TerminusGame(seed=1)
WON_SOON = (
    "..../..../..WB/....|..../..../..../....|..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9"
)
#: Agents that think longer than anybody waits, and what they think about.
ENDLESS: dict[str, tuple[Callable[[], Any], Any]] = {
    "mcts": (lambda: MCTSAgent(iterations=2**62, nodes=1 << 12, seed=1), TKM),
    "alphabeta": (lambda: AlphaBetaAgent(depth=64, table_bits=10), TKM),
    "ismcts": (lambda: ISMCTSAgent(seconds=1e9, seed=1), TERMINUS),
}
#: The same with an end.
FINITE: dict[str, tuple[Callable[[], Any], Any]] = {
    "mcts": (lambda: MCTSAgent(iterations=40, nodes=1 << 12, seed=1), TKM),
    "mcts that proves": (
        lambda: MCTSAgent(iterations=2000, nodes=1 << 12, endgames=False, seed=1),
        Game(position=WON_SOON),
    ),
    "alphabeta": (lambda: AlphaBetaAgent(depth=2 if COMPILES else 1, table_bits=10), TKM),
    "ismcts": (lambda: ISMCTSAgent(iterations=40, seed=1), TERMINUS),
}


@pytest.fixture(params=ENDLESS)
def endless(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    make, game = ENDLESS[request.param]
    return make(), game


@pytest.fixture(params=FINITE)
def finite(request: pytest.FixtureRequest) -> tuple[Callable[[], Any], Any]:
    return FINITE[request.param]


# The time_budget.


class Machine:
    """A clock for a machine that works at a constant rate, and does nothing else."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rate: float) -> None:
        self.now, self._rate = 0.0, rate
        monkeypatch.setattr(time_budget, "time", SimpleNamespace(perf_counter=lambda: self.now))

    def work(self, amount: int) -> None:
        self.now += amount / self._rate


@pytest.mark.parametrize("rate", [1e2, 1e4, 1e7])
def test_a_piece_takes_a_hundredth_of_a_second_once_the_rate_is_known(
    monkeypatch: pytest.MonkeyPatch, rate: float
) -> None:
    machine = Machine(monkeypatch, rate)
    ends = []
    for _, amount in zip(range(30), TimeBudget(rate=1000).pieces(), strict=False):
        machine.work(amount)
        ends.append(machine.now)
    assert np.diff(ends)[-5:] == pytest.approx([0.01] * 5, rel=0.1)


def test_easy_work_does_not_size_the_pieces_of_hard_work_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    easy, budget = Machine(monkeypatch, rate=5e7), TimeBudget(rate=500)
    for amount in budget.pieces(until=0.5):
        easy.work(amount)
    hard = Machine(monkeypatch, rate=1e4)
    for amount in budget.pieces(until=0.02):
        hard.work(amount)
    assert hard.now == pytest.approx(0.02, abs=1e-3)


def test_pieces_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, measured = Machine(monkeypatch, rate=1e5), TimeBudget(rate=1000)
    for amount in measured.pieces(until=0.5):
        machine.work(amount)
    assert machine.now == pytest.approx(0.5, abs=1e-3)
    measured.deadline = 0.7
    for amount in measured.pieces(until=0.9):
        machine.work(amount)
    assert machine.now == pytest.approx(0.7, abs=1e-3)
    assert list(measured.pieces()) == [1], "there is a first piece, however late it is"


def test_a_clock_that_stands_still_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Machine(monkeypatch, rate=1)
    assert [
        amount for _, amount in zip(range(4), TimeBudget(rate=1000).pieces(), strict=False)
    ] == [10, 80, 640, 5120]


# The same result, however it is cut.


def cut(agent: Any, size: int) -> Cut:
    """Have an agent work in pieces of the same size."""
    made = Cut(size)
    if isinstance(agent, AlphaBetaAgent):
        agent._searcher.time_budget = made
    else:
        agent.time_budget = made
    return made


def test_an_agent_plays_the_same_in_pieces_as_at_once(
    finite: tuple[Callable[[], Any], Any],
) -> None:
    make, start = finite
    agents, games = [make(), make()], [start.copy(), start.copy()]
    whole, pieces = (cut(agent, size) for agent, size in zip(agents, (1 << 30, 1), strict=True))
    for _ in range(8 if COMPILES else 2):
        for agent, game in zip(agents, games, strict=True):
            if game.result is None:
                game.play(agent.act(game))
    assert games[0].history == games[1].history
    assert pieces.taken > whole.taken or not COMPILES
    if hasattr(agents[0], "_tree"):
        trees = [[np.asarray(part).tobytes() for part in agent._tree[:3]] for agent in agents]
        assert trees[0] == trees[1], "the trees differ"
        streams = [agent._stream for agent in agents]
        assert streams[0].tobytes() == streams[1].tobytes(), "more random numbers were drawn by one"


@pytest.mark.parametrize("size", [1, 5, 1 << 30])
def test_lines_are_counted_the_same_in_pieces_as_at_once(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    expected = perft.perft(TKM.state, 4)
    monkeypatch.setattr(perft, "TimeBudget", lambda rate: Cut(size))
    assert perft.perft(TKM.state, 4) == expected


# What happens in between.


def wait_for(agent: Any) -> None:
    """Until another thread is in it."""
    while not agent._users:
        time.sleep(0.001)


def test_a_thinking_agent_is_stopped_from_another_thread_and_thinks_again(
    endless: tuple[Any, Any],
) -> None:
    agent, game = endless
    actions: list[int] = []
    for _ in range(2):
        agent.time_budget.deadline = np.inf
        thread = threading.Thread(target=lambda: actions.append(agent.act(game)))
        thread.start()
        wait_for(agent)
        agent.time_budget.deadline = 0.0
        thread.join()
    assert {*actions} <= {*game.legal_actions()}


def test_a_second_thread_is_refused(endless: tuple[Any, Any]) -> None:
    agent, game = endless
    thread = threading.Thread(target=lambda: agent.act(game))
    thread.start()
    wait_for(agent)
    try:
        for call in (lambda: agent.act(game), lambda: agent.reset(1)):
            with pytest.raises(
                ConcurrentUseError,
                match=f"another thread is using this {type(agent).__name__}: give each",
            ):
                call()
    finally:
        agent.time_budget.deadline = 0.0
        thread.join()


@pytest.mark.skipif(not COMPILES, reason="needs compiled code")
def test_other_threads_run_during_a_piece() -> None:
    """Only another thread can end this one early, by a proof that no visit finds."""
    tree = trees.new_tree(1 << 10, new_evaluator())
    montecarlo.set_root(tree, TKM.state)
    montecarlo.grow(tree, 100, 0.5, 0, NO_HISTORY, new_stream(1))
    begun, done = threading.Event(), []

    def grow() -> None:
        begun.set()
        done.append(montecarlo.grow(tree, 200_000, 0.5, 0, NO_HISTORY, new_stream(2)))

    thread = threading.Thread(target=grow)
    thread.start()
    begun.wait()
    while tree.nodes["visits"][trees.ROOT] == 100 and thread.is_alive():
        pass
    tree.nodes["result"][trees.ROOT] = 1
    thread.join()
    assert done[0] < 200_000, "no other thread ran until it was over"


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX")
def test_an_interrupt_is_seen_and_leaves_an_agent_that_can_be_used(
    endless: tuple[Any, Any],
) -> None:
    agent, game = endless

    def interrupt() -> None:
        wait_for(agent)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    for _ in range(3):
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            agent.act(game)
        thread.join()
    agent.time_budget.deadline = 0.0
    assert agent.act(game) in game.legal_actions()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX")
def test_counting_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    counting, begun = perft._count, threading.Event()

    def counted(*given: Any) -> int:
        begun.set()
        return counting(*given)

    def interrupt() -> None:
        begun.wait()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    monkeypatch.setattr(perft, "_count", counted)
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        perft.perft(TKM.state, 64)
    thread.join()


@pytest.mark.parametrize("interrupted", [1, 2, 5])
def test_an_interrupted_agent_plays_as_a_new_one_after_a_reset(
    finite: tuple[Callable[[], Any], Any], interrupted: int
) -> None:
    make, start = finite
    agent, fresh = make(), make()
    ordinary = (
        agent._searcher.time_budget if isinstance(agent, AlphaBetaAgent) else agent.time_budget
    )
    game = start.copy()
    cut(agent, 1)._interrupted = interrupted
    for _ in range(3):
        with contextlib.suppress(KeyboardInterrupt):
            game.play(agent.act(game))
    if isinstance(agent, AlphaBetaAgent):
        agent._searcher.time_budget = ordinary
    else:
        agent.time_budget = ordinary
    game = start.copy()
    agent.reset(7)
    fresh.reset(7)
    for _ in range(5 if COMPILES else 1):
        if game.result is None:
            action = agent.act(game)
            assert action == fresh.act(game)
            game.play(action)


def test_a_plan_goes_on_where_it_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise, it would skip an action taken but not played; the next may be illegal."""

    def interrupted(*_: Any) -> int:
        raise KeyboardInterrupt

    agent, game = AlphaBetaAgent(depth=1, table_bits=4), TKM.copy()
    game.play(agent.act(game))
    expected = agent.act(game.copy())
    agent.reset()
    agent.act(TKM)
    with monkeypatch.context() as patched:
        patched.setattr(type(game), "play", interrupted)
        with pytest.raises(KeyboardInterrupt):
            agent.act(game)
    assert agent.act(game) == expected


def test_no_agent_answers_in_a_batch_that_another_thread_is_using() -> None:
    agent, batch = GreedyAgent(), Batch(2)
    before = batch.states.copy()
    batch._users = {os.getpid(): -1}
    with pytest.raises(ConcurrentUseError, match="this Batch"):
        agent.answer_all(batch, 1 - batch.to_act)
    assert batch.states.tobytes() == before.tobytes()


def test_without_time_mcts_still_plays() -> None:
    assert MCTSAgent(seconds=1e-9, seed=1).act(TKM) in TKM.legal_actions()
    assert ISMCTSAgent(seconds=1e-9, seed=1).act(TERMINUS) in TERMINUS.legal_actions()


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_memory_is_taken_when_it_is_needed() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    before = resident()
    large = [
        AlphaBetaAgent(depth=1, table_bits=28),
        MCTSAgent(iterations=10, nodes=1 << 26),
        ISMCTSAgent(iterations=10**7, seconds=0.01),
    ]
    for agent, game in zip(large, (TKM, TKM, TERMINUS), strict=True):
        agent.act(game)
    assert resident() - before < 1_000_000_000  # of 20 GB; compiling takes some tenths
