"""The openings that come with the game."""

from __future__ import annotations

from importlib.resources import files
from itertools import compress
from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tkm_env import Game, GameConfig
from tkm_env.games.tkm.engine.state import CHAPTERS, STATE
from tkm_env.games.tkm.openings import file_name, openings
from tkm_env.games.tkm.symmetries import canonical

PACKAGE = "tkm_env.games.tkm.openings"


@each_setting
def test_every_set_of_chapters_has_a_hundred(chapters: tuple[str, ...], edition: str) -> None:
    assert len(openings(GameConfig(chapters=chapters, edition=edition))) == 100


@each_setting
def test_they_begin_a_turn_of_white_in_either_edition(
    chapters: tuple[str, ...], edition: str
) -> None:
    config = GameConfig(chapters=chapters, edition=edition)
    for position in openings(config):
        game = Game(config, position=position)
        assert game.position == position
        assert (game.result, game.to_act, game.first_player, game.step_text) == (
            None,
            "white",
            "white",
            "c",
        )
        assert game.turn in (3, 5)
        assert tuple(compress(CHAPTERS, game.info()["chapters"])) == chapters


@each_setting
def test_no_two_are_alike_at_whatever_turn(chapters: tuple[str, ...]) -> None:
    texts = openings(GameConfig(chapters=chapters))
    states = np.concatenate([Game(position=text).state for text in texts]).view(STATE)
    states["turn"] = 1
    assert len({form.tobytes() for form in canonical(states)}) == len(texts)


@each_setting
def test_their_numbers_are_their_order_in_the_file(chapters: tuple[str, ...]) -> None:
    lines = files(PACKAGE).joinpath(file_name(chapters)).read_text("ascii").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    assert comments == lines[: len(comments)]
    assert openings(GameConfig(chapters=chapters)) == tuple(lines[len(comments) :])


def test_the_standard_game_is_the_default() -> None:
    assert openings(GameConfig()) == openings(GameConfig(chapters="standard"))


@pytest.mark.parametrize(
    "free",
    [{"edition": "2022"}, {"max_turns": 5}, {"max_turns": 400}, {"concede": True}, {"draws": True}],
)
def test_settings_that_positions_do_not_contain_leave_them_as_they_are(
    free: dict[str, Any],
) -> None:
    assert openings(GameConfig(chapters="growth", **free)) == openings(
        GameConfig(chapters="growth")
    )


@pytest.mark.parametrize(
    "other",
    [
        {"chapters": "convergence"},
        {"first_player": "black"},
        {"handicap": (0, 1)},
        {"powers": ("doorway", None)},
        {"timeline": "draft_powers"},
        {"timeline": "power_share", "chapters": "memory", "power_set": "tempo"},
        {"max_turns": 4},
    ],
)
def test_there_are_none_for_settings_that_they_do_not_fit(other: dict[str, Any]) -> None:
    assert openings(GameConfig(**other)) == ()
