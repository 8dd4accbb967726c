"""How an environment shows its game."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import ConfigError, TKMError, extra
from tkm_env.render.raster import pixels

#: The drivers without a visible window that SDL falls back on.
_HEADLESS_DRIVERS: Final = ("offscreen", "dummy")
_DRIVER_VARIABLES: Final = ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")


class DisplayError(TKMError):
    """A window was requested where none can be shown.

    Attributes:
        reason: why not.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self._message = (
            f"render_mode='human' needs a display: {reason}; render_mode='rgb_array' does without, "
            "and so does SDL_VIDEODRIVER=dummy in the environment"
        )


class Window:
    """A window, opened by the first picture; once the user has closed it, it stays closed.

    Args:
        title: the window's title.
        pictures_per_second: the highest frame rate.
    """

    def __init__(self, title: str, pictures_per_second: float) -> None:
        self._title = title
        self._pictures_per_second = pictures_per_second
        self._screen: Any = None
        self._was_closed = False

    def show(self, pixels: NDArray[np.uint8]) -> None:
        """Show a picture, then wait until the next one may follow.

        Args:
            pixels: uint8 of shape (height, width, 3).

        Raises:
            DisplayError: if no window can be opened.
            MissingExtraError: without the extra ``[render]``.
        """
        if self._was_closed:
            return
        with extra("render"):
            import pygame
        if self._screen is None:
            self._open(pygame, pixels)
        if pygame.event.get(pygame.QUIT):
            self.close()
            self._was_closed = True
            return
        pygame.event.pump()
        height, width, _ = pixels.shape
        self._screen.blit(pygame.image.frombuffer(pixels.tobytes(), (width, height), "RGB"), (0, 0))
        pygame.display.flip()
        self._clock.tick(self._pictures_per_second)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy of an environment opens a window of its own.
        return Window, (self._title, self._pictures_per_second)

    def _open(self, pygame: Any, pixels: NDArray[np.uint8]) -> None:
        chosen = any(os.environ.get(name) for name in _DRIVER_VARIABLES)
        try:
            pygame.display.init()
        except pygame.error as error:
            raise DisplayError(str(error)) from error
        if pygame.display.get_driver() in _HEADLESS_DRIVERS and not chosen:
            pygame.display.quit()
            raise DisplayError("there is no display")
        pygame.display.set_caption(self._title)
        self._screen = pygame.display.set_mode(pixels.shape[1::-1])
        self._clock = pygame.time.Clock()

    def close(self) -> None:
        if self._screen is not None:
            import pygame

            pygame.display.quit()
            self._screen = None


Picture: TypeAlias = "str | NDArray[np.uint8]"

#: The libraries of each render mode. A missing one is an error when the environment is made, not
#: when the first picture is drawn.
_LIBRARIES: Final[Mapping[str | None, tuple[str, ...]]] = {
    "rgb_array": ("resvg_py", "PIL"),
    "human": ("resvg_py", "PIL", "pygame"),
}

#: A width that video codecs can encode, as they can the height that follows from it.
_WIDTH: Final = 960

Self = TypeVar("Self", bound="RenderingMixin")


class EnvRenderer:
    """Shows a game in one of the ``metadata["render_modes"]``.

    Args:
        mode: the render mode; None shows nothing.
        metadata: the environment's, with "render_modes", "render_fps" and maybe "name", the title
            of the window.

    Raises:
        ConfigError: if there is no such mode.
        MissingExtraError: if the mode needs the extra ``[render]``.
    """

    def __init__(self, mode: str | None, metadata: Mapping[str, Any]) -> None:
        modes = metadata["render_modes"]
        if mode is not None and not (isinstance(mode, str) and mode in modes):
            raise ConfigError(
                "render_mode", mode, f"it must be None or {' or '.join(map(repr, modes))}"
            )
        with extra("render"):
            for library in _LIBRARIES.get(mode, ()):
                import_module(library)
        self.mode = mode
        self._window = Window(metadata.get("name", "tkm_env"), metadata["render_fps"])

    def of(self, game: BaseGame) -> Picture | None:
        """Return the game as `RenderingMixin.render` does.

        Raises:
            DisplayError: in the mode ``"human"``, if no window can be opened.
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
        self._window.close()


class RenderingMixin:
    """An environment of one game that can be drawn and cloned."""

    game: Any
    _rendering: EnvRenderer

    def render(self) -> Picture | None:
        """Show the position.

        Returns:
            Text in the mode ``"ansi"``; uint8 of shape (480, 960, 3) in ``"rgb_array"``; None in
            ``"human"``, which draws in a window, and without a mode.
        """
        return self._rendering.of(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._rendering.close()

    def clone(self: Self) -> Self:
        """Return an independent copy in the same position, with the same randomness ahead."""
        return copy.deepcopy(self)
