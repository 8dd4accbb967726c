"""Calls with invalid arguments are accepted as they are, or refused by name.

A refused call changes nothing.
"""

from __future__ import annotations

import copy
import dataclasses
import os
import pickle
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.odd import ODD, odd, or_odd
from tests.fuzz.refusals import accepted
from tests.games.tictactoe import TicTacToe
from tkm_env import (
    Batch,
    Game,
    GameConfig,
    TerminusBatch,
    TerminusGame,
    achieved,
    action_index,
    decode_observation,
    register_game,
)
from tkm_env.core.batch import MAX_GAMES, BaseBatch
from tkm_env.core.batch_factory import PlainBatch
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.envs.aec import AECGameEnv, OrderEnforcingEnv
from tkm_env.envs.single import GameEnv
from tkm_env.envs.vector import GameVectorEnv
from tkm_env.evaluation import evaluate
from tkm_env.learn.value_game import SelfPlayConfig
from tkm_env.learn.value_training import TrainingPlan
from tkm_env.players import (
    AlphaBetaAgent,
    FunctionAgent,
    GreedyAgent,
    GumbelAgent,
    MCTSAgent,
    NetAgent,
    PolicyAgent,
    RandomAgent,
    ladder,
    make_agent,
    write_policy,
)
from tkm_env.players.factory import options_of
from tkm_env.players.model_file import read_model
from tkm_env.players.terminus.greedy import GreedyAgent as TerminusGreedyAgent
from tkm_env.players.terminus.ismcts import ISMCTSAgent
from tkm_env.render.animated_svg import animated_svg
from tkm_env.render.gif import images, write_gif
from tkm_env.render.raster import pixels

#: How many games a batch has here, which is how many rows some of the odd arrays have.
GAMES = 3

KEYWORDS = tuple(field.name for field in dataclasses.fields(GameConfig))
RIGHT: dict[str, tuple[Any, ...]] = {
    "chapters": (None, "growth", 1, ["memory", "growth"], "convergence"),
    "edition": ("2021", "2022"),
    "power_texts": (1, 2),
    "first_player": ("white", "black"),
    "handicap": ((0, 1), [3, 0]),
    "powers": (None, ("brushwood", None), [None, None]),
    "timeline": (None, "draft_powers", "power_share"),
    "power_set": (None, "random"),
    "max_turns": (1, 200, np.int16(30)),
    "concede": (True, False),
    "draws": (True, False),
}


def settings_of(*keywords: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any of these keywords of the config, each right or odd."""
    return st.fixed_dictionaries(
        {}, optional={keyword: or_odd(*RIGHT[keyword]) for keyword in keywords}
    )


def same(kept: object, given_value: object) -> bool:
    """Whether a value that was kept says what was given."""
    if isinstance(kept, tuple) and isinstance(given_value, (list, tuple)):
        return len(kept) == len(given_value) and all(map(same, kept, given_value))
    return kept == given_value


# Settings.


@given(settings_of(*KEYWORDS))
def test_settings(settings: dict[str, Any]) -> None:
    config = accepted(lambda: GameConfig(**settings))
    if config is None:
        return
    for keyword in set(settings) - {"chapters", "power_set", "powers"}:
        assert same(getattr(config, keyword), settings[keyword]), (
            f"{keyword}={settings[keyword]!r} became {config}"
        )
    assert hash(config) == hash(pickle.loads(pickle.dumps(config)))
    assert eval(repr(config)) == config, "it holds only plain values"


@given(
    st.dictionaries(st.one_of(st.sampled_from(KEYWORDS), st.text(max_size=300)), odd, max_size=3)
)
def test_keywords(settings: dict[str, Any]) -> None:
    for call in (
        lambda: Game(
            **{
                name: value
                for name, value in settings.items()
                if name not in ("config", "seed", "position")
            }
        ),
        lambda: game_spec("terminus").config(settings),
        lambda: game_spec("tkm").config(settings),
    ):
        accepted(call)


TEXTS = [value for value in ODD if type(value) is str]


@given(
    st.sampled_from(game_spec("tkm").settings),
    st.one_of(
        st.sampled_from(TEXTS), st.text(max_size=40), st.text("0123456789,+-none", max_size=30)
    ),
)
def test_settings_from_text(option: Any, text: str) -> None:
    accepted(lambda: game_spec("tkm").config_from_text({option.keyword: text}))


# Games.


def begun(kind: type[BaseGame]) -> BaseGame:
    game = kind(seed=1)
    for _ in range(3):
        game.play(game.legal_actions()[0])
    return game


STARTED: dict[type[BaseGame], BaseGame] = {
    kind: begun(kind) for kind in (Game, TerminusGame, TicTacToe)
}

each_kind = pytest.mark.parametrize("kind", STARTED)


@each_kind
@given(seed=or_odd(None, 5), config=or_odd(None), position=or_odd(None))
def test_constructors(kind: type[BaseGame], seed: Any, config: Any, position: Any) -> None:
    game = accepted(lambda: kind(config, seed=seed, position=position))
    assert game is None or kind(position=game.position) == game
    accepted(lambda: game_spec(config))


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "play": lambda game, value: game.play(value),
    "play_and_observe": lambda game, value: game.play_and_observe(value),
    "index_of": lambda game, value: game.index_of(value),
    "action_index": lambda game, value: game.action_index(value),
    "observation": lambda game, value: game.observation(value),
    "at": lambda game, value: game.at(value),
    "svg size": lambda game, value: game.svg(size=value),
    "svg theme": lambda game, value: game.svg(theme=value),
    "svg last": lambda game, value: game.svg(last=value),
    "svg legal": lambda game, value: game.svg(legal=value),
    "replay": lambda game, value: game.replay(value),
    "why_illegal": lambda game, value: game.why_illegal(value),
}


def looks(game: BaseGame) -> Any:
    return (
        game.position,
        game.history,
        game.result,
        game.action_mask().tolist(),
        game.observation().tolist(),
    )


@each_kind
@pytest.mark.parametrize("call", CALLS)
@given(value=odd)
def test_games(kind: type[BaseGame], call: str, value: Any) -> None:
    game = STARTED[kind].copy()
    answer = accepted(lambda: CALLS[call](game, value), lambda: looks(game))
    if call.startswith("play"):
        played = game.history[len(STARTED[kind].history) :]
        assert [
            action for action in played if value not in (action, game.action_names[action])
        ] == []
    if call == "svg size" and answer is not None and value is not None:
        assert f' width="{value}"' in answer


# Batches.


def new_batches() -> list[BaseBatch[Any]]:
    batches = [
        Batch(GAMES, chapters="convergence"),
        TerminusBatch(GAMES),
        PlainBatch(TicTacToe, GAMES),
    ]
    for batch in batches:
        batch.reset(seed=1)
    return batches


BATCHES = new_batches()


def batch_state(batch: BaseBatch[Any]) -> Any:
    observations = batch.new_observations()
    batch.observe(observations)
    return (
        *(
            batch.masks.tolist(),
            batch.results.tolist(),
            batch.illegal.tolist(),
            batch.to_act.tolist(),
            observations.tobytes(),
        ),
        batch._streams.tolist(),
    )


ARRAY_CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "play": lambda batch, value: batch.play(value),
    "step": lambda batch, value: batch.step(value, batch.new_observations()),
    "step into": lambda batch, value: batch.step(batch.masks.argmax(1), value),
    "observe": lambda batch, value: batch.observe(value),
    "viewers": lambda batch, value: batch.observe(batch.new_observations(), value),
    "play_at_random": lambda batch, value: batch.play_at_random(value),
    "rewards_of": lambda batch, value: batch.rewards_of(value),
    "results_of": lambda batch, value: batch.results_of(value),
    "truncated_of": lambda batch, value: batch.truncated_of(value),
    "observations_of": lambda batch, value: batch.observations_of(value, np.zeros(GAMES, np.int64)),
    "observations_of viewers": lambda batch, value: batch.observations_of([0, 1, 2], value),
    "result": lambda batch, value: batch.result(value),
    "game": lambda batch, value: batch.game(value),
    "draw": lambda batch, value: batch.draw(value, 2),
    "draw below": lambda batch, value: batch.draw(np.ones(GAMES, bool), value),
    "reset seed": lambda batch, value: batch.reset(value),
    "reset mask": lambda batch, value: batch.reset(1, value),
    "begin": lambda batch, value: batch.begin(value),
    "checked_actions": lambda batch, value: batch.checked_actions(value),
    "keys_of": lambda batch, value: batch.keys_of(value),
    "play_from": lambda batch, value: batch.play_from(
        value, batch.masks.argmax(1), np.arange(GAMES)
    ),
    "play_from actions": lambda batch, value: batch.play_from(
        np.arange(GAMES), value, np.arange(GAMES)
    ),
    "play_from targets": lambda batch, value: batch.play_from(
        np.arange(GAMES), batch.masks.argmax(1), value
    ),
    "play_from batch": lambda batch, value: batch.play_from([0], [0], [1], value),
    "set_initial_positions turns": lambda batch, value: batch.set_initial_positions(value),
    "set_initial_positions positions": lambda batch, value: batch.set_initial_positions(1, value),
    "set_initial_positions position": lambda batch, value: batch.set_initial_positions(0, [value]),
}


@pytest.mark.parametrize("kind", range(len(BATCHES)))
@pytest.mark.parametrize("call", ARRAY_CALLS)
@given(value=odd)
def test_batches(kind: int, call: str, value: Any) -> None:
    batch = copy.deepcopy(BATCHES[kind])
    answer = accepted(lambda: ARRAY_CALLS[call](batch, value), lambda: batch_state(batch))
    if (
        call in ("rewards_of", "results_of", "truncated_of", "observations_of", "keys_of")
        and answer is not None
    ):
        assert len(answer) == len(value)
    if call == "game" and answer is not None:
        assert answer == batch.game(int(value))
    if call == "draw below" and answer is not None:
        assert ((answer >= 0) & (answer < int(value))).all()


@given(num_games=or_odd(2), threads=or_odd(1), config=or_odd(None))
def test_batch_constructors(num_games: Any, threads: Any, config: Any) -> None:
    if isinstance(num_games, int) and 1000 < num_games <= MAX_GAMES:
        return
    for make in (
        lambda: Batch(num_games, config, num_threads=threads),
        lambda: TerminusBatch(num_games, config, num_threads=threads),
        lambda: PlainBatch(TicTacToe, num_games, config, num_threads=threads),
    ):
        accepted(make)


# Environments.


def opponent_of(answer: Any) -> Callable[..., Any]:
    return lambda *seen: answer


VECTOR = GameVectorEnv("tkm", GAMES, chapters="convergence")
SINGLE = GameEnv("tkm", chapters="convergence")
RAW = AECGameEnv("tkm", chapters="convergence")
CHECKED = OrderEnforcingEnv("tkm", chapters="convergence")
for environment in (VECTOR, SINGLE, RAW, CHECKED):
    environment.reset(seed=1)


def env_state(env: Any) -> Any:
    if isinstance(env, GameVectorEnv):
        return *batch_state(env.batch), env._reset_needed, env._done.tolist()
    own = (
        env.rewards | env.terminations
        if isinstance(env, AECGameEnv)
        else (env._done, env.np_random.bit_generator.state)
    )
    return env.game.position, env.game.history, own


@pytest.mark.parametrize("env", [VECTOR, SINGLE, RAW, CHECKED])
@given(seed=or_odd(None, 5), options=or_odd(None, {}))
def test_resets(env: Any, seed: Any, options: Any) -> None:
    one = copy.deepcopy(env)
    accepted(lambda: one.reset(seed=seed, options=options), lambda: env_state(one))


@pytest.mark.parametrize("env", [VECTOR, SINGLE, RAW, CHECKED])
@given(action=odd)
def test_steps(env: Any, action: Any) -> None:
    one = copy.deepcopy(env)
    accepted(lambda: one.step(action), lambda: env_state(one))
    if isinstance(env, AECGameEnv):
        accepted(lambda: one.observe(action))
        accepted(lambda: one.action_space(action))


@pytest.mark.parametrize("make", [GameEnv, GameVectorEnv, AECGameEnv])
@given(
    keywords=st.fixed_dictionaries(
        {"game": or_odd("tkm")},
        optional={
            name: or_odd(None)
            for name in ("side", "opponent", "render_mode", "chapters", "nonsense", "positions")
        }
        | {"opening_turns": or_odd(0)},
    )
)
def test_environments(make: Callable[..., Any], keywords: dict[str, Any]) -> None:
    accepted(lambda: make(**keywords))


@given(
    keywords=st.fixed_dictionaries(
        {},
        optional={"num_envs": or_odd(2), "num_threads": odd, "autoreset_mode": or_odd("NextStep")},
    )
)
def test_vector_environments(keywords: dict[str, Any]) -> None:
    many = keywords.get("num_envs")
    if not isinstance(many, int) or not 1000 < many <= MAX_GAMES:
        accepted(lambda: GameVectorEnv("tkm", **keywords))


@given(answer=odd, is_agent=st.booleans())
def test_opponents(answer: Any, is_agent: bool) -> None:
    opponent = (
        type("Odd", (), {"act": staticmethod(opponent_of(answer))})()
        if is_agent
        else opponent_of(answer)
    )
    for env in (
        GameEnv("tkm", opponent=opponent, side="black"),
        GameVectorEnv("tkm", GAMES, opponent=opponent, side="black"),
    ):
        accepted(lambda env=env: env.reset(seed=1))


# Players.

FOLDER = tempfile.TemporaryDirectory()
POLICY = os.path.join(FOLDER.name, "policy.npz")
write_policy(POLICY, [(np.zeros((1344, 79)), np.arange(79))])

AGENTS: dict[str, Callable[[Any], Any]] = {
    "random": lambda value: RandomAgent(seed=value),
    "random again": lambda value: RandomAgent().reset(value),
    "greedy": lambda value: GreedyAgent(seed=value),
    "greedy weights": lambda value: GreedyAgent(weights=value),
    "alphabeta depth": lambda value: AlphaBetaAgent(depth=value, table_bits=4),
    "alphabeta seconds": lambda value: AlphaBetaAgent(seconds=value, table_bits=4),
    "alphabeta nodes": lambda value: AlphaBetaAgent(nodes=value, table_bits=4),
    "alphabeta endgames": lambda value: AlphaBetaAgent(endgames=value, table_bits=4),
    "alphabeta table_bits": lambda value: AlphaBetaAgent(table_bits=value),
    "alphabeta weights": lambda value: AlphaBetaAgent(weights=value, table_bits=4),
    "alphabeta seed": lambda value: AlphaBetaAgent(seed=value, table_bits=4),
    "mcts iterations": lambda value: MCTSAgent(iterations=value, nodes=100),
    "mcts seconds": lambda value: MCTSAgent(seconds=value, nodes=100),
    "mcts exploration": lambda value: MCTSAgent(exploration=value, nodes=100),
    "mcts turns": lambda value: MCTSAgent(turns=value, nodes=100),
    "mcts history": lambda value: MCTSAgent(history=value, nodes=100),
    "mcts nodes": lambda value: MCTSAgent(nodes=value),
    "mcts weights": lambda value: MCTSAgent(weights=value, nodes=100),
    "mcts seed": lambda value: MCTSAgent(seed=value, nodes=100),
    "alphabeta net": lambda value: AlphaBetaAgent(net=value, table_bits=4),
    "gumbel iterations": lambda value: GumbelAgent(iterations=value),
    "gumbel seconds": lambda value: GumbelAgent(seconds=value),
    "gumbel candidates": lambda value: GumbelAgent(candidates=value),
    "gumbel gumbel_scale": lambda value: GumbelAgent(gumbel_scale=value),
    "gumbel nodes": lambda value: GumbelAgent(nodes=value),
    "gumbel net": lambda value: GumbelAgent(net=value),
    "gumbel seed": lambda value: GumbelAgent(seed=value),
    "net file": lambda value: NetAgent(file=value),
    "net seed": lambda value: NetAgent(seed=value),
    "read_model": read_model,
    "plan": lambda value: TrainingPlan(games=value, width=value),
    "self-play": lambda value: TrainingPlan(self_play=SelfPlayConfig(trace=value)),
    "terminus greedy": lambda value: TerminusGreedyAgent(seed=value),
    "ismcts iterations": lambda value: (
        ISMCTSAgent(iterations=value) if not isinstance(value, int) or value < 2000 else None
    ),
    "ismcts exploration": lambda value: ISMCTSAgent(iterations=10, exploration=value),
    "ismcts seed": lambda value: ISMCTSAgent(iterations=10, seed=value),
    "policy file": PolicyAgent,
    "policy game": lambda value: PolicyAgent(POLICY, value),
    "policy temperature": lambda value: PolicyAgent(POLICY, temperature=value),
    "policy seed": lambda value: PolicyAgent(POLICY, seed=value),
    "policy settings": lambda value: make_agent(f"policy:{POLICY}", config=value),
    "write_policy layers": lambda value: write_policy(os.devnull, value),
    "write_policy weights": lambda value: write_policy(os.devnull, [(value, np.zeros(79))]),
    "write_policy activation": lambda value: write_policy(
        os.devnull, [(np.zeros((1344, 79)), np.zeros(79))], activation=value
    ),
    "write_policy observation": lambda value: write_policy(os.devnull, [(0, 0)], observation=value),
    "function": FunctionAgent,
    "function's answer": lambda value: FunctionAgent(opponent_of(value)).act(STARTED[Game]),
    "make_agent": make_agent,
    "make_agent for": lambda value: make_agent("random", game=value),
    "options_of": options_of,
    "ladder": ladder,
}


@pytest.mark.parametrize("make", AGENTS)
@given(value=odd)
def test_players(make: str, value: Any) -> None:
    accepted(lambda: AGENTS[make](value))


@given(st.text("alphabeta:depth=1,.-+eE0xX_'\"()[]{}#\\\n ", max_size=40))
def test_lines_of_players(options: str) -> None:
    accepted(lambda: make_agent(f"random:{options}"))
    found = accepted(lambda: options_of(f"random:{options}"))
    assert found is None or all(
        value is None or type(value) in (bool, int, float, str) for value in found[1].values()
    )


@given(
    keywords=st.fixed_dictionaries(
        {"policy": or_odd("random"), "games": or_odd(2)},
        optional=dict.fromkeys(
            ("opponent", "opening_turns", "game", "seed", "num_threads", "chapters"), odd
        ),
    )
)
def test_evaluations(keywords: dict[str, Any]) -> None:
    if not isinstance(keywords["games"], int) or not 100 < keywords["games"] <= MAX_GAMES:
        accepted(lambda: evaluate(**keywords))


REPLAY = STARTED[Game].start.replay()
SMALL = STARTED[Game].svg(size=16)
PICTURE = next(images(REPLAY, size=16))

OTHERS: dict[str, Callable[[Any], Any]] = {
    "register_game": register_game,
    "achieved": achieved,
    "decode_observation": decode_observation,
    "action_index": action_index,
    "position_for": lambda value: STARTED[TerminusGame].position_for(value),
    "determinize": lambda value: STARTED[TerminusGame].determinize(value),
    "images": lambda value: next(images(value)),
    "images of size": lambda value: (
        next(images(REPLAY, size=value)) if not isinstance(value, int) or value < 64 else None
    ),
    "images with theme": lambda value: next(images(REPLAY, size=16, theme=value)),
    "pixels": pixels,
    "pixels on": lambda value: pixels(SMALL, ground=value),
    "animated_svg at": lambda value: animated_svg(REPLAY, speed=value),
    "write_gif": lambda value: write_gif(os.devnull, value),
    "write_gif at": lambda value: write_gif(os.devnull, [PICTURE], speed=value),
    "from_state": Game.from_state,
    "from_state config": lambda value: Game.from_state(STARTED[Game].state, value),
    "from_states": Batch.from_states,
    "from_states config": lambda value: Batch.from_states(STARTED[Game].state, value),
    "from_states of Terminus": TerminusBatch.from_states,
}


@pytest.mark.parametrize("call", OTHERS)
@given(value=odd)
def test_functions(call: str, value: Any) -> None:
    accepted(lambda: OTHERS[call](value))
