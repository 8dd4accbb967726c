"""Symmetries of games as tables of indices over observations and actions."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.checks import as_array, describe
from tkm_env.foundations.errors import ArrayError


class SymmetryTables(NamedTuple):
    """A symmetry of a game's rules, as permutations of the observation and of the actions.

    Both are those of the player to act.

    Attributes:
        name: what the symmetry does.
        elements: for each element of the image's observation, the flat index of the element that it
            comes from: int64 of the observation's shape.
        actions: for each action in the image, the action that it comes from: int64 of shape
            (actions,).
        flipped: the elements of the image that are inverted, 0 for 1 and 1 for 0, because they say
            which player the viewer is: bool of the observation's shape.
    """

    name: str
    elements: NDArray[np.int64]
    actions: NDArray[np.int64]
    flipped: NDArray[np.bool_]

    def transform_observations(self, observations: NDArray[Any]) -> NDArray[Any]:
        """What the viewers see in the images.

        Args:
            observations: an array of shape ``(n, *observation)``, of any dtype.

        Returns:
            A new array of the same shape and dtype.

        Raises:
            ArrayError: if the shape is wrong.
        """
        if as_array(observations).shape[1:] != self.elements.shape:
            raise ArrayError(
                "observations",
                describe(observations),
                f"an array of shape (n, *{self.elements.shape})",
            )
        flat = observations.reshape(len(observations), self.elements.size)
        images = flat[:, self.elements.ravel()].reshape(observations.shape)
        images[:, self.flipped] = 1 - images[:, self.flipped]
        return images

    def transform_actions(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """A number for each action, such as masks, policies or visits, carried over to the images.

        Args:
            numbers: an array of shape (…, actions), of any dtype.

        Returns:
            A new array of the same shape and dtype.

        Raises:
            ArrayError: if the shape is wrong.
        """
        return self._check_actions(numbers)[..., self.actions]

    def inverse_actions(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """The inverse of `transform_actions`."""
        return self._check_actions(numbers)[..., np.argsort(self.actions)]

    def _check_actions(self, numbers: NDArray[Any]) -> NDArray[Any]:
        given = as_array(numbers)
        if given.shape[-1:] != self.actions.shape:
            raise ArrayError(
                "numbers", describe(numbers), f"an array of shape (…, {len(self.actions)})"
            )
        return given


def unchanged(shape: tuple[int, ...], num_actions: int) -> SymmetryTables:
    """The symmetry that changes nothing.

    Args:
        shape: the shape of an observation.
        num_actions: the number of actions.

    Returns:
        Its tables.
    """
    elements = np.arange(int(np.prod(shape))).reshape(shape)
    return SymmetryTables("unchanged", elements, np.arange(num_actions), np.zeros(shape, np.bool_))
