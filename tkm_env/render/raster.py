"""Drawings as pixels. Needs resvg_py and Pillow, from the extra ``[render]``."""

from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.errors import ConfigError, extra, repr_of


def pixels(svg: str, *, ground: str = "#ffffff") -> NDArray[np.uint8]:
    """Draw an SVG document as pixels, without fonts.

    Args:
        svg: the document.
        ground: the colour behind its transparent parts.

    Returns:
        uint8 of shape (height, width, 3).

    Raises:
        ConfigError: if it cannot be drawn.
        MissingExtraError: without the extra ``[render]``.
    """
    with extra("render"):
        from PIL import Image
    return np.array(Image.open(BytesIO(png(svg, ground=ground))).convert("RGB"))


def png(svg: str, *, ground: str = "#ffffff") -> bytes:
    """Draw an SVG document as the content of a PNG file, without fonts.

    Args:
        svg: the document.
        ground: the colour behind its transparent parts.

    Returns:
        The content, which is the same for the same document.

    Raises:
        ConfigError: if it cannot be drawn.
        MissingExtraError: without the extra ``[render]``.
    """
    with extra("render"):
        import resvg_py
    try:
        drawn = resvg_py.svg_to_bytes(svg_string=svg, background=ground, skip_system_fonts=True)
    except (TypeError, ValueError) as error:
        raise ConfigError("svg", svg, f"it cannot be drawn on {repr_of(ground)}: {error}") from None
    return bytes(drawn)
