"""Mistakes of somebody's first hour get an answer that says what to write instead."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import pettingzoo
import pytest
from gymnasium.error import ClosedEnvironmentError

from tkm_env import Batch, ConfigError, Game, GameConfig, MissingExtraError, tkm_v0
from tkm_env.players import make_agent

ID = "tkm_env/TKM-v0"

MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: gymnasium.make("tkm_env/tkm-v0"),
        r"id='tkm_env/tkm-v0' is invalid: for Gymnasium it is 'tkm_env/TKM-v0'",
    ),
    (lambda: gymnasium.make_vec("tkm_env/tkm-v0", 2), "for Gymnasium it is 'tkm_env/TKM-v0'"),
    (lambda: gymnasium.make("tkm_env/terminus-v0"), "for Gymnasium it is 'tkm_env/Terminus-v0'"),
    (
        lambda: pettingzoo.make("aec", ID),
        "id='tkm_env/TKM-v0' is invalid: for PettingZoo it is 'tkm_env/tkm-v0'",
    ),
    (
        lambda: gymnasium.make(ID, opponent="self"),
        r"opponent='self' is invalid: self-play is for gymnasium.make_vec",
    ),
    (lambda: gymnasium.make(ID, opponent="alpabeta:depth=2"), "did you mean 'alphabeta'"),
    (lambda: gymnasium.make(ID, side="blak"), "did you mean 'black'"),
    (
        lambda: gymnasium.make(ID, positions="shipped", timeline="draft_powers"),
        "no openings come with tkm under these settings",
    ),
    (lambda: make_agent("gready"), "did you mean 'greedy'"),
    (lambda: Game(chapters="grwth"), "did you mean 'growth'"),
    (lambda: Game(chapters=["memory", "influense"]), "did you mean 'influence'"),
    (lambda: Game(edition="2020"), "did you mean '2021'|did you mean '2022'"),
    (lambda: Game(first_player="whit"), "did you mean 'white'"),
    (lambda: Game(timeline="power-share"), "did you mean 'power_share'"),
    (lambda: Game(timeline="draft_powers", power_set="randm"), "did you mean 'random'"),
    (lambda: Game(powers=("overtme", None)), "did you mean 'overtime'"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES)
def test_a_mistake_is_told_what_was_meant(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        mistake()


@pytest.mark.parametrize("given", ["2022", 2022])
def test_an_edition_may_be_a_number(given: Any) -> None:
    assert GameConfig(edition=given) == GameConfig(edition="2022")
    assert tkm_v0.env(edition=given).config.edition == "2022"


@pytest.mark.parametrize(
    ("mode", "library"), [("rgb_array", "resvg_py"), ("rgb_array", "PIL"), ("human", "pygame")]
)
def test_a_missing_render_library_is_refused_by_make(
    mode: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)  # as if it were not there
    for make in (
        lambda: gymnasium.make(ID, render_mode=mode),
        lambda: tkm_v0.env(render_mode=mode),
        *([lambda: gymnasium.make_vec(ID, 2, render_mode=mode)] if mode == "rgb_array" else []),
    ):
        with pytest.raises(MissingExtraError, match=r"\[render\]"):
            make()


def test_a_closed_vector_environment_neither_steps_nor_begins() -> None:
    envs = gymnasium.make_vec(ID, 2)
    envs.reset(seed=1)
    envs.close()
    for call in (lambda: envs.step([0, 0]), envs.reset):
        with pytest.raises(ClosedEnvironmentError, match="this GameVectorEnv is closed"):
            call()


def test_shipped_openings_begin_games_of_a_batch() -> None:
    batch = Batch(50, chapters="growth")
    batch.set_initial_positions(positions="shipped")
    batch.reset(seed=1)
    assert len({*batch.keys.tolist()}) > 20
    assert (batch.states["turn"] > 1).all()


def test_sb3_without_its_extra_is_an_error_of_this_package(monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary = builtins.__import__

    def without(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.partition(".")[0] in ("stable_baselines3", "torch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])
        return ordinary(name, *arguments, **keywords)

    for module in ("tkm_env.envs.sb3", "tkm_env.learn.sb3"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"stable_baselines3 is not installed: .*\[train\]"):
        import tkm_env.envs.sb3
    with pytest.raises(MissingExtraError, match=r"\[train\]"):
        import tkm_env.learn.sb3  # noqa: F401
