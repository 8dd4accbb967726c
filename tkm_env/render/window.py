"""A window that shows pictures. Needs pygame-ce, from the extra ``[render]``."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.errors import DisplayError
from tkm_env.extras import extra

#: The drivers without a visible window that SDL falls back on.
_HEADLESS_DRIVERS: Final = ("offscreen", "dummy")
_DRIVER_VARIABLES: Final = ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")


class Window:
    """A window, opened by the first picture, which shows so many per second at most. Once the user has closed it, others are ignored."""

    def __init__(self, title: str, pictures_per_second: float) -> None:
        self._title = title
        self._pictures_per_second = pictures_per_second
        self._screen: Any = None
        self._was_closed = False

    def show(self, pixels: NDArray[np.uint8]) -> None:
        """Show a picture of shape (height, width, 3), once the previous one has been shown for long enough. Raises a `MissingExtraError`
        without the extra ``[render]``, and a `DisplayError` if there is no display, and SDL_VIDEODRIVER does not select a driver without
        one.
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
        # The copy of an environment opens its own window.
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
        """Close the window, if it is open."""
        if self._screen is not None:
            import pygame

            pygame.display.quit()
            self._screen = None
