"""Text in drawings is legible in both themes.

Its contrast is at least what WCAG 2, level AA, requires for small text.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.render.drawings import drawn_parts
from tkm_env import Game
from tkm_env.core.registry import game_spec
from tkm_env.games.terminus.render.svg import THEMES as TERMINUS_THEMES
from tkm_env.games.tkm.engine.state import CHAPTERS

LEAST = 4.5
#: The colours of what is written, as `tkm_env.render.shapes.draw_text` draws it.
WRITTEN = re.compile(r'scale\([\d.]+\)" d="[^"]+" fill="none" stroke="var\(--([\w-]+)\)"')
#: Letters within glyphs of Terminus, with what they stand on.
LETTERS = [
    ("red-line", "red"),
    ("blue-line", "blue"),
    ("card-line", "card"),
    ("fixed-line", "fixed"),
    ("terminus-line", "terminus"),
]


def luminance(colour: str) -> float:
    """The relative luminance of a colour such as ``#ffffff``, 0 to 1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_ratio_is_that_of_the_guidelines() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def random_start(name: str) -> Any:
    """The beginning of a game in which all is drawn that is ever written."""
    if name == "tkm":
        return Game(chapters=CHAPTERS, powers=("overtime", "ripple"), seed=4)
    return game_spec(name).game_class(seed=4)


def test_what_is_written_on_drawings_can_be_read() -> None:
    for name in ("tkm", "terminus"):
        for theme in ("light", "dark"):
            game = random_start(name)
            canvas, generator = game.renderer().canvas, np.random.default_rng(4)
            colours, found = canvas.themes[theme], set(WRITTEN.findall(canvas.background))
            while True:
                found |= {
                    colour
                    for part in drawn_parts(game, legal=True).values()
                    for colour in WRITTEN.findall(part)
                }
                if game.result is not None:
                    break
                game.play(int(generator.choice(game.legal_actions())))
            assert {"ink", "faint", "mark", "active-ink"} <= found, (theme, name)
            for colour in found:
                assert contrast(colours[colour], colours["ground"]) >= LEAST, colour


def test_the_numbers_of_spaces_can_be_read() -> None:
    for theme in ("light", "dark"):
        colours = Game.renderer().canvas.themes[theme]
        for board in ("past", "present", "future"):
            assert contrast(colours["faint"], colours[board]) >= LEAST, board


def test_the_letters_of_eras_can_be_read() -> None:
    for theme in ("light", "dark"):
        colours = TERMINUS_THEMES[theme]
        for letter, ground in LETTERS:
            assert contrast(colours[letter], colours[ground]) >= LEAST, letter
