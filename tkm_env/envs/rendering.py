"""How an environment shows its game."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.errors import ConfigError
from tkm_env.extras import extra
from tkm_env.game.base import BaseGame
from tkm_env.render.raster import pixels
from tkm_env.render.window import Window

Picture: TypeAlias = "str | NDArray[np.uint8]"

#: What a render mode draws with; a missing one is an error of whoever makes the environment, not of its first picture.
_LIBRARIES: Final[Mapping[str | None, tuple[str, ...]]] = {"rgb_array": ("resvg_py", "PIL"), "human": ("resvg_py", "PIL", "pygame")}

#: Video codecs can encode pictures of this width, and of the height that follows from it.
_WIDTH: Final = 960

Self = TypeVar("Self", bound="RenderingMixin")


class Renderer:
    """Shows a game in one of the ``metadata["render_modes"]``: as text, as pixels, in a window, which updates at ``metadata["render_fps"]``
    at most; or, for None, not at all. Raises a `ConfigError` if there is no such mode, and a `MissingExtraError` if its library is missing.
    """

    def __init__(self, mode: str | None, metadata: Mapping[str, Any]) -> None:
        modes = metadata["render_modes"]
        if mode is not None and not (isinstance(mode, str) and mode in modes):
            raise ConfigError("render_mode", mode, f"it must be None or {' or '.join(map(repr, modes))}")
        with extra("render"):
            for library in _LIBRARIES.get(mode, ()):
                import_module(library)
        self.mode = mode
        self._window = Window(metadata.get("name", "tkm_env"), metadata["render_fps"])

    def of(self, game: BaseGame) -> Picture | None:
        """The game as text (``"ansi"``) or pixels (``"rgb_array"``: uint8 of shape (480, 960, 3)); ``"human"`` shows these in a window.
        Raises a `MissingExtraError` if pixels are requested without the extra ``[render]``, and a `DisplayError` if there is no display for
        the window.
        """
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return str(game)
        picture = pixels(game.svg(size=_WIDTH))
        if self.mode == "rgb_array":
            return picture
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window."""
        self._window.close()


class RenderingMixin:
    """An environment of one game that can be drawn and cloned."""

    game: Any
    _rendering: Renderer

    def render(self) -> Picture | None:
        """The position: as text in the mode ``"ansi"``, as uint8 of shape (480, 960, 3) in ``"rgb_array"``, in a window in ``"human"``."""
        return self._rendering.of(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._rendering.close()

    def clone(self: Self) -> Self:
        """An independent environment in the same position, with the same randomness ahead."""
        return copy.deepcopy(self)
