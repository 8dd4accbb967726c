"""A `Replay` as an animated SVG: sharp at any size, without scripts.

Viewers who prefer reduced motion see the last frame.
"""

from itertools import groupby

from tkm_env.render.gif import STEPS_AT_THE_END, seconds_per_step
from tkm_env.render.replay import Replay


def animated_svg(
    replay: Replay, *, size: int | None = None, theme: str = "light", speed: float = 2
) -> str:
    """Draw a replay as an SVG document that starts again after its end.

    Args:
        replay: the game.
        size: the width in pixels, from 1 to 16,384; None leaves it to the viewer.
        theme: "light" or "dark".
        speed: steps per second, above 0.01 and at most 50.

    Returns:
        The document.

    Raises:
        ConfigError: if the size, the theme or the speed is invalid.
    """
    end = len(replay.frames)
    steps = end - 1 + STEPS_AT_THE_END
    parts: dict[str, str] = {}
    # The classes by the frames that show their content: the first, and the first after them.
    spans: dict[tuple[int, int], str] = {}
    for slot in replay.canvas.slots:
        contents = [frame.parts.get(slot, "") for frame in replay.frames]
        for content, run in groupby(range(end), key=contents.__getitem__):
            first, *others = run
            if content:
                name = spans.setdefault((first, first + len(others) + 1), f"s{len(spans)}")
                parts[slot] = f'{parts.get(slot, "")}<g class="{name}">{content}</g>'
    seconds = steps * seconds_per_step(speed)
    style = f"g[class]{{animation:{seconds:g}s step-end infinite;visibility:hidden}}"
    for (first, after), name in spans.items():
        before = "0%{visibility:hidden}" if first else ""
        gone = f"{100 * after / steps:.4g}%{{visibility:hidden}}" if after < end else ""
        style += (
            f"@keyframes {name}{{{before}{100 * first / steps:.4g}%{{visibility:visible}}{gone}}}"
        )
        style += f"g.{name}{{animation-name:{name}{'' if gone else ';visibility:visible'}}}"
    style += "@media(prefers-reduced-motion){g[class]{animation-name:none}}"
    document = replay.canvas.document(parts, size=size, theme=theme, title=replay.title)
    return document.replace("<title>", f"<style>{style}</style><title>", 1)
