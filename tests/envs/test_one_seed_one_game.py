"""From the same seed, every interface plays the same game.

Starts, sides, openings, opponents and whatever these leave to chance are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import tkm_env
from tkm_env import Batch, Game, OpponentPool, TerminusBatch, TerminusGame, terminus_v0, tkm_v0
from tkm_env.compiled.random_numbers import (
    OPPONENT,
    STREAMS,
    draw_from,
    draw_seed,
    new_stream,
    streams_of,
)
from tkm_env.players import AlphaBetaAgent

TKM, TERMINUS = "tkm_env/TKM-v0", "tkm_env/Terminus-v0"
SEED, EPISODES = 5, 3


class WithoutMasks:
    """A model that knows no masks: most of its actions are illegal, and replaced by random ones."""

    def predict(self, observation: Any) -> Any:
        return np.zeros(len(observation), np.int64) if np.ndim(observation) == 4 else 0, None


def first_legal(observation: Any, info: dict[str, Any]) -> Any:
    return info["action_mask"].argmax(-1)


def pool() -> OpponentPool:
    return OpponentPool(
        ["random", "greedy", "mcts:iterations=5", first_legal], weights=[1, 2, 2, 1]
    )


#: How games are played: their id, and the keywords.
CASES: list[tuple[str, dict[str, Any]]] = [
    (TKM, {"opponent": "random"}),
    (TKM, {"opponent": "random", "opening_turns": 2, "canonical": True}),
    (
        TKM,
        {
            "opponent": "random",
            "side": "black",
            "chapters": "convergence",
            "timeline": "draft_powers",
            "opening_turns": 3,
        },
    ),
    (TKM, {"opponent": "greedy", "opening_turns": 2}),
    (TKM, {"opponent": "greedy", "side": "black", "timeline": "power_share", "draws": True}),
    (TKM, {"opponent": "net", "side": "white", "chapters": "memory"}),
    (TKM, {"opponent": "mcts:iterations=10", "chapters": "growth", "opening_turns": 1}),
    (TKM, {"opponent": "alphabeta:depth=1,table_bits=10", "positions": "shipped"}),
    (TKM, {"opponent": AlphaBetaAgent(depth=1, table_bits=10), "side": "black"}),
    (TKM, {"opponent": "gumbel:iterations=3,gumbel_scale=1", "opening_turns": 2}),
    (TKM, {"opponent": first_legal, "side": "black", "chapters": "convergence"}),
    (TKM, {"opponent": WithoutMasks(), "canonical": True, "max_turns": 30}),
    (TKM, {"opponent": pool(), "opening_turns": 1}),
    (TERMINUS, {"opponent": "random", "opening_turns": 2}),
    (TERMINUS, {"opponent": "greedy"}),
    (TERMINUS, {"opponent": "ismcts:iterations=5", "side": "blue", "opening_turns": 1}),
]

Told = list[tuple[Any, ...]]


def choose(mask: np.ndarray, step: int) -> int:
    """What the learner plays: whatever is legal, as long as it is the same in all interfaces."""
    legal = mask.nonzero()[0]
    return int(legal[7 * step % len(legal)]) if len(legal) else 0


def play_single(game_id: str, keywords: dict[str, Any], seed: int) -> list[Told]:
    """Episodes in a row in an environment of one game, each told as a list of what happened."""
    env: Any = gymnasium.make(game_id, disable_env_checker=True, **keywords).unwrapped
    episodes = []
    for number in range(EPISODES):
        _, info = env.reset(seed=seed if number == 0 else None)
        told: Told = [(env.game.position, info["side"])]
        over = False
        while not over:
            action = choose(info["action_mask"], len(told))
            _, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            told.append(
                (action, None if over else env.game.position, reward, terminated, truncated)
            )
        episodes.append(told)
    return episodes


def play_vector(
    game_id: str, keywords: dict[str, Any], games: int, mode: AutoresetMode
) -> list[list[Told]]:
    """The same in each of many games."""
    envs: Any = gymnasium.make_vec(
        game_id, games, autoreset_mode=mode, num_threads=games, **keywords
    ).unwrapped
    _, info = envs.reset(seed=SEED)
    same_step = mode == AutoresetMode.SAME_STEP

    def begun(game: int) -> Told:
        return [(envs.batch.game(game).position, info["side"][game])]

    episodes, over = [[begun(game)] for game in range(games)], np.zeros(games, np.bool_)
    while min(map(len, episodes)) <= EPISODES:
        actions = [
            choose(mask, len(told[-1]))
            for mask, told in zip(info["action_mask"], episodes, strict=True)
        ]
        before, (_, rewards, terminations, truncations, info) = over, envs.step(np.array(actions))
        over = terminations | truncations
        for game, told in enumerate(episodes):
            if before[game] and not same_step:
                told.append(begun(game))
                continue
            position = None if over[game] else envs.batch.game(game).position
            told[-1].append(
                (actions[game], position, rewards[game], terminations[game], truncations[game])
            )
            if over[game] and same_step:
                told.append(begun(game))
        over = over & (not same_step)
    return [told[:EPISODES] for told in episodes]


@pytest.mark.parametrize("case", CASES)
def test_a_game_of_many_is_the_single_game_of_its_seed(case: tuple[str, dict[str, Any]]) -> None:
    alone = [play_single(*case, SEED + game) for game in range(3)]
    for games, mode in (
        (1, AutoresetMode.NEXT_STEP),
        (3, AutoresetMode.NEXT_STEP),
        (3, AutoresetMode.SAME_STEP),
    ):
        assert play_vector(*case, games, mode) == alone[:games], f"{games} games, {mode}"


SETTINGS: list[dict[str, Any]] = [
    {"chapters": "convergence"},
    {"timeline": "draft_powers", "chapters": "convergence"},
    {"timeline": "power_share", "power_set": "random"},
]


def starts_of(
    seed: int, make: Callable[..., Any], make_env: Callable[..., Any], game_id: str, **settings: Any
) -> dict[str, str]:
    env = make_env(**settings)
    env.reset(seed=seed)
    many: Any = gymnasium.make_vec(game_id, 2, opponent="self", **settings).unwrapped
    many.reset(seed=seed - 1)
    one: Any = gymnasium.make(
        game_id, side=make.players[0], opponent=first_legal, **settings
    ).unwrapped
    one._opponent.answer = lambda *given: None  # so that the start can be seen
    one.reset(seed=seed)
    return {
        "Game": make(seed=seed, **settings).position,
        "AEC": env.unwrapped.game.position,
        "make": one.game.position,
        "make_vec": many.batch.game(1).position,
    }


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_interface_begins_the_game_of_a_seed(settings: dict[str, Any]) -> None:
    for seed in range(1, 12):
        found = starts_of(seed, Game, tkm_v0.env, TKM, **settings)
        batch = Batch(1, **settings)
        batch.reset(seed=seed)
        assert {*found.values()} == {batch.game(0).position}, f"seed {seed}: {found}"


def test_every_interface_shuffles_the_deck_of_a_seed() -> None:
    for seed in range(1, 6):
        found = starts_of(seed, TerminusGame, terminus_v0.env, TERMINUS)
        batch = TerminusBatch(1)
        batch.reset(seed=seed)
        assert {*found.values()} == {batch.game(0).position}, f"seed {seed}: {found}"


def test_a_learner_plays_both_sides_unless_it_chooses_one() -> None:
    env: Any = gymnasium.make(TKM)
    assert {env.reset(seed=seed)[1]["side"] for seed in range(10)} == {0, 1}
    _, info = gymnasium.make_vec(TKM, 20).reset(seed=1)
    assert {*info["side"].tolist()} == {0, 1}


def test_a_player_that_cannot_be_copied_plays_one_game_but_not_two() -> None:
    class Uncopyable:
        def act(self, game: Any) -> int:
            return int(game.legal_actions()[0])

        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("it holds a process")

    gymnasium.make_vec(TKM, 1, opponent=Uncopyable()).reset(seed=1)
    envs = gymnasium.make_vec(TKM, 2, opponent=Uncopyable())
    with pytest.raises(
        tkm_env.ConfigError, match=r"each game needs a player of its own.*it holds a process"
    ):
        envs.reset(seed=1)


def test_streams_of_a_game_have_nothing_in_common() -> None:
    assert len({draw_from(new_stream(1, purpose), 2**32) for purpose in range(STREAMS)}) == STREAMS
    streams, before = streams_of(3), streams_of(3)
    draw_seed(streams[OPPONENT])
    assert [purpose for purpose in range(STREAMS) if streams[purpose] != before[purpose]] == [
        OPPONENT
    ]
