"""One game whose rules are compiled, under attack.

The attacks are a second thread, interrupts, foreign states and damaged pickles.
"""

from __future__ import annotations

import contextlib
import gc
import math
import pickle
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.pickles import loaded_damaged
from tests.fuzz.refusals import accepted
from tkm_env import (
    ArrayError,
    ConcurrentUseError,
    ConfigError,
    Game,
    GameConfig,
    IllegalActionError,
)
from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.random_numbers import new_stream
from tkm_env.core.compiled_game import CompiledGame
from tkm_env.core.game import BaseGame
from tkm_env.games.terminus.game import TerminusGame

needs_timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX")
GAMES = (Game, TerminusGame)


def in_play(
    game_class: type[CompiledGame], actions: int, seed: int = 1, **settings: Any
) -> CompiledGame:
    """A game after the given number of random actions, or over."""
    generator = np.random.default_rng(seed)
    game = game_class(seed=seed, **settings)
    while game.result is None and len(game.history) < actions:
        game.play(int(generator.choice(game.legal_actions())))
    return game


def assert_whole(game: CompiledGame) -> None:
    """What the game holds is what its history leads to."""
    again = game.at(len(game.history))
    assert again == game, f"the history leads to {again.position}, the game is at {game.position}"
    assert again.action_mask().tolist() == game.action_mask().tolist()
    assert (again.to_act, again.result) == (game.to_act, game.result)


# A second thread.


@pytest.fixture
def threads_that_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("game_class", GAMES)
@pytest.mark.usefixtures("threads_that_take_turns_often")
def test_threads_that_play_one_game_do_it_no_harm(game_class: type[CompiledGame]) -> None:
    played = 0
    for round_number in range(5 if COMPILES else 1):
        game = game_class(seed=round_number)

        def play(game: CompiledGame, number: int) -> None:
            generator = np.random.default_rng(number)
            while game.result is None and (legal := game.legal_actions()):
                action = int(generator.choice(legal))
                with contextlib.suppress(ConcurrentUseError, IllegalActionError):
                    game.play(action) if number else game.play_and_observe(action)

        threads = [threading.Thread(target=play, args=(game, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert_whole(game)
        played += len(game.history)
    assert played > 0


def test_a_second_thread_is_refused_while_one_plays_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Game()
    step, raised = Game.kernels.play, []

    def play_in_another_thread(*given: Any) -> int:
        def play() -> None:
            for call in (
                lambda: game.play("choose 1"),
                lambda: game.play_and_observe("choose 1"),
                game.copy,
            ):
                with pytest.raises(ConcurrentUseError) as refused:
                    call()
                raised.append(str(refused.value))

        thread = threading.Thread(target=play)
        thread.start()
        thread.join()
        return step(*given)

    with monkeypatch.context() as patched:
        patched.setattr(Game, "kernels", Game.kernels._replace(play=play_in_another_thread))
        game.play("choose 1")
    assert len(raised) == 3
    assert game.history == [0]
    assert_whole(game)
    assert game.copy() == game


# Interrupts.


class TimerError(Exception):
    """What a signal raises."""


@pytest.fixture
def no_garbage_collection() -> Iterator[None]:
    """An error raised during garbage collection would be reported as another test's failure."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@needs_timers
@pytest.mark.usefixtures("no_garbage_collection")
@pytest.mark.parametrize("game_class", GAMES)
def test_an_interrupt_leaves_a_game_with_the_action_played_or_not(
    game_class: type[CompiledGame],
) -> None:
    def interrupt(number: int, frame: object) -> None:
        raise TimerError

    generator = np.random.default_rng(1)
    delays = generator.uniform(1e-6, 1e-3, 300 if COMPILES else 20).tolist()
    before, games = signal.signal(signal.SIGALRM, interrupt), []
    try:
        for delay in delays:
            game = game_class(seed=1)
            games.append(game)
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                # Not for ever, since an interrupt is swallowed where no exception can be raised.
                for _ in range(10_000):
                    if game.result is not None:
                        games[-1] = game = game_class(seed=2)
                    game.play(game.legal_actions()[-1])
                    game.copy()
            except TimerError:
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for game in games:
        assert_whole(game)
        if game.result is None:
            game.play(game.legal_actions()[0])


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("name", ["play", "play_and_observe"])
def test_an_action_that_was_interrupted_is_in_the_history_if_it_was_played(
    moment: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = Game.kernels

    def interrupted(*given: Any) -> int:
        monkeypatch.setattr(Game, "kernels", kernels)
        if moment == "after":
            getattr(kernels, name)(*given)
        raise TimerError

    game = Game()
    game.play("choose 1")
    monkeypatch.setattr(Game, "kernels", kernels._replace(**{name: interrupted}))
    with pytest.raises(TimerError):
        getattr(game, name)("move east")
    assert len(game.history) == (2 if moment == "after" else 1)
    assert_whole(game)
    game.play("move south" if moment == "before" else "move east")


@pytest.mark.parametrize("game_class", GAMES)
@pytest.mark.parametrize("turns", [1, 40, math.inf])
def test_random_play_draws_what_it_would_draw_action_by_action(
    game_class: type[CompiledGame], turns: float
) -> None:
    for seed in range(20):
        game, twin = game_class(seed=seed), game_class(seed=seed)
        streams = [new_stream(seed) for _ in range(2)]
        for player in (*game.players, None):
            game.play_at_random(streams[0], player, turns)
            BaseGame.play_at_random(twin, streams[1], player, turns)
            assert game.history == twin.history, (
                f"seed {seed}, until {player} is to act, at most {turns} turns"
            )
        assert streams[0] == streams[1], f"seed {seed}: another number of draws"
        assert_whole(game)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_random_play_that_was_interrupted_is_in_the_history_if_it_took_place(
    moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = Game.kernels

    def interrupted(*given: Any) -> int:
        monkeypatch.setattr(Game, "kernels", kernels)
        if moment == "after":
            kernels.play_at_random(*given)
        raise TimerError

    game = Game()
    game.play("choose 1")
    monkeypatch.setattr(Game, "kernels", kernels._replace(play_at_random=interrupted))
    with pytest.raises(TimerError):
        game.play_at_random(new_stream(1), "black")
    assert (len(game.history) > 1) == (moment == "after")
    assert_whole(game)
    assert game.to_act == ("black" if moment == "after" else "white")


# States.


@pytest.mark.parametrize("game_class", GAMES)
def test_a_state_gives_the_game_it_was_taken_from(game_class: type[CompiledGame]) -> None:
    for actions in range(0, 120, 7):
        game = in_play(game_class, actions, seed=actions)
        again = game_class.from_state(game.state)
        assert again == game
        assert again.action_mask().tolist() == game.action_mask().tolist()
        assert game_class.from_record(again.to_record()) == game


def test_a_state_brings_its_settings() -> None:
    config = GameConfig(chapters=["growth", "memory"], edition="2022", max_turns=30, draws=True)
    game = Game.from_state(Game(config).state)
    assert game.config == config
    drafting = Game(timeline="power_share", seed=1)
    assert Game.from_state(drafting.state, drafting.config) == drafting


def test_a_state_is_refused_with_a_config_that_has_other_settings() -> None:
    state = Game(edition="2022").state
    with pytest.raises(ConfigError, match="config="):
        Game.from_state(state, GameConfig(edition="2021"))
    with pytest.raises(ConfigError, match="config=5"):
        Game.from_state(state, 5)


@pytest.mark.parametrize(
    ("game_class", "field", "value"),
    [
        (Game, "cell", 200),
        (Game, "focus", 77),
        (Game, "to_act", 9),
        (Game, "step", -1),
        (Game, "step", 4),
        (Game, "active_space", -5),
        (Game, "power", 99),
        (Game, "turn", 0),
        (Game, "max_turns", 20_000),
        (Game, "edition", 7),
        (Game, "result", 1),
        (TerminusGame, "era", 77),
        (TerminusGame, "card", 55),
        (TerminusGame, "length", 10**9),
        (TerminusGame, "deck_size", -1),
        (TerminusGame, "hand", 17),
        (TerminusGame, "stream", 0),
    ],
)
def test_a_state_without_a_position_is_refused(
    game_class: type[CompiledGame], field: str, value: int
) -> None:
    state = in_play(game_class, 5).state
    state[field] = value
    before = state.tobytes()
    with pytest.raises(ArrayError, match="state"):
        game_class.from_state(state)
    assert state.tobytes() == before


@pytest.mark.parametrize("game_class", GAMES)
@given(data=st.data())
def test_any_bytes_as_a_state_are_refused_or_taken_exactly(
    game_class: type[CompiledGame], data: st.DataObject
) -> None:
    state = in_play(
        game_class, data.draw(st.integers(0, 60)), seed=data.draw(st.integers(0, 20))
    ).state
    content = state.view(np.uint8)
    for place in data.draw(st.lists(st.integers(0, content.size - 1), max_size=3)):
        content[place] = data.draw(st.integers(0, 255))
    game = accepted(lambda: game_class.from_state(state), state.tobytes)
    if game is not None:
        assert game.state.tobytes() == state.tobytes()
        assert_playable(game)


def assert_playable(game: CompiledGame) -> None:
    generator = np.random.default_rng(1)
    for _ in range(50):
        if game.result is not None:
            break
        game.play(int(generator.choice(game.legal_actions())))
    assert_whole(game)


# Pickles.


@pytest.mark.parametrize("game_class", GAMES)
def test_a_pickle_holds_the_position_and_the_history(game_class: type[CompiledGame]) -> None:
    game = in_play(game_class, 40)
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    assert (again.history, again.config, again.start) == (game.history, game.config, game.start)
    assert_whole(again)


@pytest.mark.parametrize("game_class", GAMES)
@given(data=st.data())
def test_a_damaged_pickle_is_a_python_error_or_a_game_that_can_be_played(
    game_class: type[CompiledGame], data: st.DataObject
) -> None:
    game = loaded_damaged(pickle.dumps(in_play(game_class, 30)), data)
    if type(game) is game_class:
        assert_playable(game)
