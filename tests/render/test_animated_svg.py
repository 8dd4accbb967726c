"""The animated SVG of a game shows each frame in its time.

Readers who prefer reduced motion see the last frame.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.games.tkm.positions import random_game
from tests.render.drawings import checked
from tkm_env import Game
from tkm_env.foundations import errors
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.tkm.engine.state import CHAPTERS
from tkm_env.render.animated_svg import animated_svg
from tkm_env.render.gif import STEPS_AT_THE_END
from tkm_env.render.replay import Replay


def _text(root: ElementTree.Element) -> str:
    """The drawing without the parts that differ between drawings that look the same.

    These are the prefix of its ids, and empty slots.
    """
    return re.sub(
        r"tkm-[0-9a-f]{8}-|<ns0:g transform=[^>]*/>", "", ElementTree.tostring(root, "unicode")
    )


def _still(replay: Replay, theme: str, number: int) -> str:
    return _text(
        checked(
            replay.canvas.document(replay.frames[number].parts, theme=theme, title=replay.title)
        )
    )


def _shown(svg: str, percent: float | None) -> str:
    """The contents of the groups that are visible at a point of the animation.

    Without a point, those visible without motion.
    """
    root = checked(svg)
    style = root[0].text or ""
    root.remove(root[0])
    visible = {}
    for name, course in re.findall(r"@keyframes (s\d+)\{((?:[\d.]+%\{visibility:\w+\})+)\}", style):
        steps = [
            (float(at), value == "visible")
            for at, value in re.findall(r"([\d.]+)%\{visibility:(\w+)\}", course)
        ]
        assert steps[0][0] == 0, f"{name} begins at some time"
        without_motion = f"g.{name}{{animation-name:{name};visibility:visible}}" in style
        visible[name] = (
            without_motion
            if percent is None
            else [value for at, value in steps if at <= percent][-1]
        )
    for parent in list(root.iter()):
        for child in [child for child in parent if child.get("class")]:
            place = list(parent).index(child)
            parent.remove(child)
            for moved in reversed(child) if visible[child.attrib["class"]] else ():
                parent.insert(place, moved)
    return _text(root)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_frame_is_shown_in_its_time(theme: str) -> None:
    *_, game = random_game(
        Game(chapters=CHAPTERS, powers=("overtime", "ripple"), seed=4, max_turns=20), 4
    )
    for replay in (game.replay(), TerminusGame(seed=1).replay()):
        svg, count = animated_svg(replay, theme=theme), len(replay.frames)
        steps = count - 1 + STEPS_AT_THE_END
        for number in range(count):
            assert _shown(svg, 100 * (number + 0.5) / steps) == _still(replay, theme, number), (
                f"frame {number}"
            )
        assert _shown(svg, 100) == _still(replay, theme, count - 1), "the last frame stays"


def test_without_motion_the_last_frame_is_shown() -> None:
    *_, game = random_game(Game(max_turns=6), 1)
    replay = game.replay()
    assert _shown(animated_svg(replay), None) == _still(replay, "light", -1)


def test_the_speed_is_in_steps_per_second_and_checked() -> None:
    replay = Game().replay()
    assert f"animation:{STEPS_AT_THE_END / 4:g}s " in animated_svg(replay, speed=4)
    wrong: list[Any] = [0, 51, "fast"]
    for speed in wrong:
        with pytest.raises(errors.ConfigError, match="speed"):
            animated_svg(replay, speed=speed)
