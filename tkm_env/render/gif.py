"""A `Replay` as an animated GIF. Needs Pillow, from the extra ``[render]``."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.checks import checked_instance, checked_integer, checked_number
from tkm_env.foundations.errors import ConfigError, extra
from tkm_env.foundations.files import write_file
from tkm_env.render.raster import pixels
from tkm_env.render.replay import Frame, Replay

if TYPE_CHECKING:
    from PIL.Image import Image

#: The number of steps for which the last picture stays.
STEPS_AT_THE_END: Final = 6
#: The number of colours besides those of the theme, for smooth edges.
_BETWEEN: Final = 160
#: The maximum number of pictures from which the colours are chosen.
_SAMPLE: Final = 12
_MOST_STEPS_PER_SECOND: Final = 50
#: The last picture's delay, in hundredths of a second, must fit into 16 bits.
_FEWEST_STEPS_PER_SECOND: Final = 0.01
#: The smallest width in pixels; narrower pictures are unreadable.
_MIN_SIZE: Final = 16
#: The largest width in pixels; all pictures of a GIF are in memory while it is written.
_MAX_SIZE: Final = 2048


def images(replay: Replay, *, size: int = 640, theme: str = "light") -> Iterator[Image]:
    """Draw a picture of each frame, in few colours.

    Args:
        replay: the game.
        size: the width in pixels, from 16 to 2,048.
        theme: "light" or "dark".

    Yields:
        The pictures.

    Raises:
        ConfigError: if the size or the theme is invalid.
        MissingExtraError: without the extra ``[render]``.
    """
    checked_instance("replay", replay, Replay)
    with extra("render"):
        from PIL import Image
    width, canvas = checked_integer("size", size, _MIN_SIZE, _MAX_SIZE), replay.canvas
    colours = canvas.colours(theme)

    def rasterise(frame: Frame) -> NDArray[np.uint8]:
        return pixels(
            canvas.document(frame.parts, size=width, theme=theme), ground=colours["ground"]
        )

    # With one palette for all pictures, only the changes from one to the next are stored.
    sample = replay.frames[:: -(-len(replay.frames) // _SAMPLE)]
    between = (
        Image.fromarray(np.concatenate([rasterise(frame) for frame in sample]))
        .quantize(_BETWEEN)
        .getpalette()
        or []
    )
    palette = Image.new("P", (1, 1))
    palette.putpalette(
        b"".join(bytes.fromhex(colour[1:]) for colour in colours.values()) + bytes(between)
    )
    for frame in replay.frames:
        yield Image.fromarray(rasterise(frame)).quantize(palette=palette, dither=Image.Dither.NONE)


def seconds_per_step(speed: float) -> float:
    """Return the seconds per step at a speed in steps per second, above 0.01 and at most 50.

    Raises:
        ConfigError: if the speed is invalid.
    """
    return 1 / checked_number("speed", speed, _FEWEST_STEPS_PER_SECOND, _MOST_STEPS_PER_SECOND)


def write_gif(path: str | os.PathLike[str], pictures: Iterable[Image], *, speed: float = 2) -> None:
    """Write pictures as a GIF that loops forever.

    Args:
        path: the file to write.
        pictures: the pictures, at least one; the last one is shown longer.
        speed: steps per second, above 0.01 and at most 50.

    Raises:
        ConfigError: if the speed is invalid, or there are no pictures.
        FileError: if the file cannot be written.
    """
    seconds = seconds_per_step(speed)
    with extra("render"):
        from PIL.Image import Image
    try:
        drawn = [checked_instance("pictures", picture, Image) for picture in pictures]
    except TypeError:
        drawn = []
    if not drawn:
        raise ConfigError("pictures", pictures, "there must be at least one picture")
    first, *others = drawn
    step = round(1000 * seconds)
    durations = [step] * len(others) + [step * STEPS_AT_THE_END]
    film = io.BytesIO()
    first.save(
        film, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=False
    )
    write_file(path, film.getvalue())
