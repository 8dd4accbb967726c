"""Symmetries of games as tables of indices, over what is seen and over what can be done."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.checks import as_array, described
from tkm_env.errors import ArrayError


class SymmetryTables(NamedTuple):
    """A symmetry of a game's rules: where each number of what the image's player sees, and may do, comes from.

    Whoever may act in a position sees and may do the same, at other places, in its image.

    Attributes:
        name: what the symmetry does.
        elements: for each element of an observation of the image, the index of the one it is equal to, in the memory of the
            observation: int64 of the observation's shape.
        actions: for each action in the image, the one it comes from: int64 of shape (actions,).
        flipped: the elements of the image that are 1 where they would be 0, and 0 where they would be 1: bool of the observation's
            shape. They say which of the players the viewer is.
    """

    name: str
    elements: NDArray[np.int64]
    actions: NDArray[np.int64]
    flipped: NDArray[np.bool_]

    def of_observations(self, observations: NDArray[Any]) -> NDArray[Any]:
        """What the viewers see in the images: of the same shape (n, *observation) and dtype; a new array.

        Raises:
            ArrayError: if the shape is wrong.
        """
        if as_array(observations).shape[1:] != self.elements.shape:
            raise ArrayError("observations", described(observations), f"an array of shape (n, *{self.elements.shape})")
        flat = observations.reshape(len(observations), self.elements.size)
        images = flat[:, self.elements.ravel()].reshape(observations.shape)
        images[:, self.flipped] = 1 - images[:, self.flipped]
        return images

    def of_actions(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Numbers for each action, such as masks, policies or visits, in the images: of the same shape (…, actions); a new array.

        Raises:
            ArrayError: if the shape is wrong.
        """
        return self._check_actions(numbers)[..., self.actions]

    def back(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """The way back, from numbers for each action in the images: of the same shape (…, actions); a new array.

        Raises:
            ArrayError: if the shape is wrong.
        """
        return self._check_actions(numbers)[..., np.argsort(self.actions)]

    def _check_actions(self, numbers: NDArray[Any]) -> NDArray[Any]:
        given = as_array(numbers)
        if given.shape[-1:] != self.actions.shape:
            raise ArrayError("numbers", described(numbers), f"an array of shape (…, {len(self.actions)})")
        return given


def unchanged(shape: tuple[int, ...], num_actions: int) -> SymmetryTables:
    """The symmetry that changes nothing.

    >>> unchanged((2,), 3).of_actions(np.array([5, 6, 7]))
    array([5, 6, 7])
    """
    elements = np.arange(int(np.prod(shape))).reshape(shape)
    return SymmetryTables("unchanged", elements, np.arange(num_actions), np.zeros(shape, np.bool_))
