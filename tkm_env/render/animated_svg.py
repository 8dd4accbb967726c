"""A `Replay` as an animated SVG: sharp at any size, without scripts.

Readers who want no motion see the last frame.
"""

from itertools import groupby

from tkm_env.render.gif import STEPS_AT_THE_END, seconds_per_step
from tkm_env.render.replay import Replay


def animated_svg(
    replay: Replay, *, size: int | None = None, theme: str = "light", speed: float = 2
) -> str:
    """The document, which begins again after its end.

    Arguments and errors are those of `Canvas.document` and `write_gif`.
    """
    end = len(replay.frames)
    steps = end - 1 + STEPS_AT_THE_END
    parts: dict[str, str] = {}
    spans: dict[
        tuple[int, int], str
    ] = {}  # the frames that show a content, from the first to before the other: their class
    for slot in replay.canvas.slots:
        contents = [frame.parts.get(slot, "") for frame in replay.frames]
        for content, run in groupby(range(end), key=contents.__getitem__):
            first, *others = run
            if content:
                name = spans.setdefault((first, first + len(others) + 1), f"s{len(spans)}")
                parts[slot] = f'{parts.get(slot, "")}<g class="{name}">{content}</g>'
    style = f"g[class]{{animation:{steps * seconds_per_step(speed):g}s step-end infinite;visibility:hidden}}"
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
