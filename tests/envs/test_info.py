"""The contents of ``info``, in every environment of both games.

Numbers and arrays are as the game's table lists them; there are strings only at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.games.tkm.positions import random_action
from tkm_env import Game, OpponentPool, TerminusGame, terminus_v0, tkm_v0
from tkm_env.core.game import BaseGame

#: The keys that are texts.
TEXTS = {"result", "reason", "illegal_by"}
#: What Gymnasium makes arrays of objects of, one a game.
OF_GYMNASIUM = {"final_obs", "final_info", "result"}
DRAFT = {"timeline": "draft_powers", "max_turns": 4}
GAMES = [(Game, tkm_v0, {}), (Game, tkm_v0, DRAFT), (TerminusGame, terminus_v0, {})]


def numbers_and_arrays(info: dict[str, Any]) -> bool:
    return all(
        isinstance(value, (int, float, np.integer, np.floating))
        or (isinstance(value, np.ndarray) and value.dtype.kind in "biuf")
        for value in info.values()
    )


def check(info: dict[str, Any], game: BaseGame, *, at_the_end: bool) -> None:
    """What the game says of itself is as its table has it."""
    fields = {field.key: field for field in game.info_fields if at_the_end or not field.at_the_end}
    assert info.keys() >= fields.keys()
    for key, field in fields.items():
        assert (info[key].dtype, info[key].shape) == (np.dtype(field.dtype), field.shape), key
        assert info[key].min() >= field.low, key
        assert field.high is None or info[key].max() <= field.high, key
        assert info[key].tolist() == game.info()[key].tolist()


@pytest.mark.parametrize(("game", "door", "settings"), GAMES)
def test_a_games_own_info_has_the_keys_of_its_table_and_no_others(
    game: type[BaseGame], door: ModuleType, settings: dict[str, Any]
) -> None:
    generator = np.random.default_rng(1)
    for seed in range(5):
        one = game(seed=seed, **settings)
        while one.result is None:
            assert one.info().keys() == {
                field.key for field in game.info_fields if not field.at_the_end
            }
            check(one.info(), one, at_the_end=False)
            one.play(random_action(one.action_mask(), generator))
        assert one.info().keys() == {field.key for field in game.info_fields}
        check(one.info(), one, at_the_end=True)


@pytest.mark.parametrize(("game", "door", "settings"), GAMES)
@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_pettingzoo_infos_hold_the_mask_alone_until_the_end(
    game: type[BaseGame], door: ModuleType, settings: dict[str, Any], kind: str
) -> None:
    env = getattr(door, kind)(**settings)
    generator = np.random.default_rng(1)
    for seed in range(3):
        env.reset(seed=seed)
        while not any({**env.terminations, **env.truncations}.values()):
            assert [info.keys() for info in env.infos.values()] == [{"action_mask"}] * 2
            env.step(random_action(env.infos[env.agent_selection]["action_mask"], generator))
            if env.game.result is not None:
                break
        for info in env.infos.values():
            assert numbers_and_arrays(info)
            check(info, env.game, at_the_end=True)


@pytest.mark.parametrize(("game", "door", "settings"), GAMES)
def test_an_illegal_action_is_explained_in_text_at_the_end(
    game: type[BaseGame], door: ModuleType, settings: dict[str, Any]
) -> None:
    env = door.env(**settings)
    env.reset(seed=1)
    env.step(int(env.infos[env.agent_selection]["action_mask"].argmin()))
    for info in env.infos.values():
        assert info.keys() - TEXTS == {"action_mask", "illegal_action"}
        assert numbers_and_arrays({key: value for key, value in info.items() if key not in TEXTS})


@pytest.mark.parametrize(("game", "door", "settings"), GAMES)
def test_one_games_info_holds_text_at_the_end_only(
    game: type[BaseGame], door: ModuleType, settings: dict[str, Any]
) -> None:
    env: Any = gymnasium.make(_id_of(game), side="random", **settings).unwrapped
    generator = np.random.default_rng(1)
    for seed in range(4):
        _, info = env.reset(seed=seed)
        check(info, env.game, at_the_end=False)
        done = False
        while not done:
            assert numbers_and_arrays(info), info
            action = (
                random_action(info["action_mask"], generator) if info["action_mask"].any() else 0
            )
            _, _, terminated, truncated, info = env.step(action)
            done = terminated or truncated
        check(info, env.game, at_the_end=True)
        assert numbers_and_arrays({key: value for key, value in info.items() if key not in TEXTS})


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("opponent", ["self", "random", OpponentPool(["random", "greedy"])])
@pytest.mark.parametrize(("game", "door", "settings"), GAMES)
def test_many_games_info_holds_objects_in_steps_that_end_games_only(
    game: type[BaseGame],
    door: ModuleType,
    settings: dict[str, Any],
    opponent: Any,
    mode: AutoresetMode,
) -> None:
    for info, ended in _infos(game, opponent, mode, settings):
        assert numbers_and_arrays(
            {key: value for key, value in info.items() if not (ended and key in OF_GYMNASIUM)}
        ), info


def _infos(
    game: type[BaseGame], opponent: Any, mode: AutoresetMode, settings: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], bool]]:
    envs: Any = gymnasium.make_vec(
        _id_of(game), 4, opponent=opponent, autoreset_mode=mode, **settings
    )
    _, info = envs.reset(seed=1)
    yield info, False
    ends = 0
    for _ in range(80):
        _, _, terminations, truncations, info = envs.step(info["action_mask"].argmax(1))
        done = terminations | truncations
        yield info, bool(done.any())
        ends += int(done.sum())
        if mode == AutoresetMode.DISABLED and done.any():
            _, info = envs.reset(options={"reset_mask": done})
    assert ends


def _id_of(game: type[BaseGame]) -> str:
    return {"tkm": "tkm_env/TKM-v0", "terminus": "tkm_env/Terminus-v0"}[game.name]
