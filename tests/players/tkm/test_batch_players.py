"""Players that answer in many games at once play as they do in one."""

from __future__ import annotations

import itertools
import pkgutil
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest

from tkm_env import Batch, ConcurrentUseError, ConfigError, Game, TerminusBatch
from tkm_env.compiled.decorators import COMPILES, kernel
from tkm_env.compiled.random_numbers import OPPONENT
from tkm_env.envs.opponents import make_opponent
from tkm_env.games.tkm.engine.state import DRAFT, ORDER
from tkm_env.players import AlphaBetaAgent, GreedyAgent, NetAgent, make_agent
from tkm_env.players.tkm.evaluators import SHIPPED, Evaluators
from tkm_env.players.tkm.search.evaluation import new_evaluator, value_after

SETTINGS: list[dict[str, Any]] = [
    {},
    {"chapters": ("growth", "influence", "memory"), "edition": "2022"},
    {"chapters": "growth", "powers": ("overtime", "green-thumb"), "draws": True},
    {"timeline": "draft_powers"},
]


def mid_games(settings: dict[str, Any], games: int = 12, steps: int = 30) -> Batch:
    """Games after some random steps, at every kind of step."""
    batch = Batch(games, **settings)
    batch.reset(seed=5)
    for _ in range(steps):
        batch.play(batch.random_actions())
    return batch


def best_positions(game: Game) -> set[Game]:
    """Where the turns that look best lead."""
    values = {turn.after: value_of(turn.after) for turn in game.turns()}
    return {after for after, value in values.items() if value == max(values.values())}


def best_by_replies(game: Game, count: int, evaluator: Any) -> Game:
    """Where the best of the turns that look best leads, each judged by the best reply to it.

    Those are left out that look worse than a better one is after its reply.
    """
    ends = sorted((turn.after for turn in game.turns()), key=lambda end: -value_of(end, evaluator))[
        :count
    ]

    def value(end: Game) -> int:
        if end.result is not None:
            return value_of(end, evaluator)
        return -max(value_of(reply.after, evaluator) for reply in end.turns())

    best, highest = ends[0], value(ends[0])
    for end in ends[1:]:
        if value_of(end, evaluator) <= highest:
            break
        if value(end) > highest:
            best, highest = end, value(end)
    return best


def value_of(after: Game, evaluator: Any = None) -> int:
    """The value of the position after a turn to the player who took it."""
    values = np.zeros(1, np.int64)
    write_value(after.state, new_evaluator() if evaluator is None else evaluator, values)
    return int(values[0])


@kernel
def write_value(states: Any, evaluator: Any, values: Any) -> None:
    values[0] = value_after(states[0], evaluator)


@pytest.mark.parametrize("settings", SETTINGS)
def test_greedy_plays_a_turn_that_looks_best_in_each_game(settings: dict[str, Any]) -> None:
    batch = mid_games(settings)
    before = [batch.game(number) for number in range(batch.num_games)]
    players = 1 - batch.to_act
    GreedyAgent().answer_all(batch, players)
    for number, game in enumerate(before):
        if game.result is not None:
            assert batch.game(number) == game
            continue
        assert batch.over[number] or batch.to_act[number] == players[number]
        if game.state["step"][0] not in (
            DRAFT,
            ORDER,
        ):  # after which the same side may have to play a turn as well
            assert batch.game(number) in best_positions(game)


@pytest.mark.parametrize("count", [1, 3, 64])
@pytest.mark.parametrize("settings", SETTINGS)
def test_net_looks_at_the_best_reply_to_the_turns_that_look_best(
    settings: dict[str, Any], count: int
) -> None:
    batch = mid_games(settings, games=12 if COMPILES else 2)
    games = [batch.game(number) for number in range(batch.num_games)]
    agent = NetAgent(replies=count, history=False)
    agent.answer_all(batch, 1 - batch.to_act)
    for number, game in enumerate(games):
        if game.result is None and game.state["step"][0] not in (DRAFT, ORDER):
            evaluator = Evaluators(SHIPPED).evaluator_for(game.state)
            assert batch.game(number) == best_by_replies(game, count, evaluator)


@pytest.mark.parametrize("count", [-1, 65, 1.5, True])
def test_net_refuses_an_impossible_number_of_replies(count: Any) -> None:
    with pytest.raises(ConfigError, match=r"^replies="):
        NetAgent(replies=count)


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("player", ["greedy", "net", "net:replies=2"])
def test_on_several_threads_players_play_as_on_one(player: str) -> None:
    ends = []
    for threads in (1, 3):
        batch = Batch(60 if COMPILES else 4, chapters="growth", max_turns=40, num_threads=threads)
        batch.reset(seed=3)
        agent = make_agent(player)
        for _ in range(6):
            batch.play_at_random(batch.to_act * 0)
            agent.answer_all(batch, batch.to_act * 0 + 1)
        ends.append((batch.keys.tolist(), batch.streams.tolist(), batch.masks.tolist()))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("batch_class", [Batch, TerminusBatch])
def test_greedy_answers_all_games_the_same_in_ranges_as_at_once(
    batch_class: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = []
    for size in (3, 1 << 30):
        monkeypatch.setattr("tkm_env.compiled.threads._RANGE", size)
        batch = batch_class(20)
        batch.reset(seed=5)
        make_agent("greedy", game=batch.game_class.name).answer_all(batch, 1 - batch.to_act)
        ends.append([array.tobytes() for array in (batch.states, batch.masks, batch.streams)])
    assert ends[0] == ends[1]


@pytest.mark.parametrize("batch_class", [Batch, TerminusBatch])
def test_an_interrupted_answer_leaves_a_batch_that_is_whole(
    batch_class: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = batch_class.game_class.name
    place = f"tkm_env.players.{name}.greedy.play_greedily"
    plays, calls = pkgutil.resolve_name(place), itertools.count()

    def interrupted(*given: Any) -> None:
        if next(calls) == 2:
            raise KeyboardInterrupt
        plays(*given)

    batch = batch_class(20)
    batch.reset(seed=5)
    before = batch.states.copy()
    monkeypatch.setattr("tkm_env.compiled.threads._RANGE", 5)
    monkeypatch.setattr(place, interrupted)
    with pytest.raises(KeyboardInterrupt):
        make_agent("greedy", game=name).answer_all(batch, 1 - batch.to_act)
    answered = [batch.states[number].tobytes() != before[number].tobytes() for number in range(20)]
    assert answered == [True] * 10 + [False] * 10
    for number in range(20):
        assert (batch.masks[number] == batch.game(number).action_mask()).all()


@pytest.mark.parametrize(("batch_class", "player"), [(Batch, "net"), (TerminusBatch, "greedy")])
def test_a_player_plays_the_batches_of_one_thread_at_a_time(batch_class: Any, player: str) -> None:
    agent = make_agent(player, game=batch_class.game_class.name)
    batch, other = batch_class(4), batch_class(4)
    refused: list[bool] = []

    def play_elsewhere(*given: Any) -> None:
        try:
            agent.answer_all(other, 1 - other.to_act)
        except ConcurrentUseError:
            refused.append(True)

    def let_play(play: Any) -> None:
        thread = threading.Thread(target=play_elsewhere)
        thread.start()
        thread.join()

    batch.let_play = let_play
    agent.answer_all(batch, 1 - batch.to_act)
    assert refused == [True]


@pytest.mark.parametrize("settings", SETTINGS)
def test_alphabeta_plays_in_each_game_what_it_plays_in_one(settings: dict[str, Any]) -> None:
    batch = mid_games(settings)
    games = [batch.game(number) for number in range(batch.num_games)]
    players = 1 - batch.to_act
    make_opponent(AlphaBetaAgent(depth=1, table_bits=4), "tkm").answer_all(batch, players)
    for number, game in enumerate(games):
        agent = AlphaBetaAgent(depth=1, table_bits=4)
        while game.result is None and game.to_act != batch.players[players[number]]:
            game.play(agent.act(game))
        assert game == batch.game(number)


@pytest.mark.parametrize("opponent", ["greedy", "alphabeta:depth=1", "mcts:iterations=5"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_players_by_name_are_opponents_of_many_games_and_of_one(opponent: str, mode: str) -> None:
    settings: dict[str, Any] = {
        "opponent": opponent,
        "side": "random",
        "chapters": "memory",
        "max_turns": 20,
    }
    envs = gymnasium.make_vec("tkm_env/TKM-v0", 6, autoreset_mode=mode, **settings)
    _, info = envs.reset(seed=3)
    generator = np.random.default_rng(3)
    earned, ended = 0.0, 0
    for _ in range(60):
        actions = ((1 - generator.random(info["action_mask"].shape)) * info["action_mask"]).argmax(
            1
        )
        _, rewards, terminations, truncations, info = envs.step(actions)
        earned += rewards.sum()
        ended += int((terminations | truncations).sum())
    assert ended > 0
    assert earned < 0, "random play loses to it"
    env = gymnasium.make("tkm_env/TKM-v0", **settings)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        over = terminated or truncated


@pytest.mark.parametrize("player", ["net", "net:replies=2"])
def test_a_player_of_many_games_knows_where_each_has_been_as_in_one(player: str) -> None:
    batch, agent = mid_games({"max_turns": 60}, games=8, steps=8), make_agent(player)
    games, streams = [batch.game(number) for number in range(8)], batch._streams[OPPONENT].copy()
    while not batch.over.all():
        agent.answer_all(batch, 1 - batch.to_act)
    for number, game in enumerate(games):
        agent.reset(streams[number : number + 1])
        while game.result is None:
            game.play(agent.act(game))
        assert game == batch.game(number)


def repetitions(player: str, games: int) -> int:
    """How often a player returns to a position of the game, when it plays against itself."""
    found = 0
    for seed in range(games):
        agent, game, seen = make_agent(player), Game(max_turns=80), set()
        agent.reset(seed)
        while game.result is None:
            begun = game.turn
            while game.result is None and game.turn == begun:
                game.play(agent.act(game))
            found += game.position.rsplit(" ", 1)[0] in seen
            seen.add(game.position.rsplit(" ", 1)[0])
    return found


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
@pytest.mark.parametrize("player", ["net", "mcts:iterations=20"])
def test_players_that_know_the_history_repeat_no_position_without_need(player: str) -> None:
    with_history, without = (
        repetitions(f"{player}{':' if ':' not in player else ','}history={known}", 3)
        for known in (True, False)
    )
    assert with_history <= without / 5, (with_history, without)
