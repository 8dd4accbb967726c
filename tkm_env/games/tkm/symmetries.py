"""The symmetries of the rules.

The area can be turned and reflected, all eras alike (8 ways), and the colours exchanged: 16. Dark
and light elephants differ only in name, so with Memory these can be exchanged as well.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.symmetries import SymmetryTables
from tkm_env.games.tkm.engine.actions import ACTIONS
from tkm_env.games.tkm.engine.bitboards import as_bits, as_spaces
from tkm_env.games.tkm.engine.geometry import DIRECTIONS, NOWHERE, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.planes import OBSERVATION_HIGH, PLANES
from tkm_env.games.tkm.engine.state import (
    BLACK,
    COPY,
    DARK,
    ELEPHANT,
    ELEPHANTS,
    FALLEN,
    LIGHT,
    MEMORY,
    NOBODY,
    NUM_PIECES,
    STATUE,
    TRUNCATED,
    WHITE,
    WON,
)

#: The fields of a state that hold one number for each player.
_BY_PLAYER: Final = ("supply", "unbuilt", "overtime_spent", "focus", "power")


class Symmetry(NamedTuple):
    """One symmetry: reflect, then turn, then exchange names.

    Attributes:
        quarters: how many quarter turns clockwise, 0 to 3.
        reflected: whether west and east change places before that.
        colours: whether white and black are exchanged, and with them who is to act.
        elephants: whether the dark and the light elephants are exchanged.
    """

    quarters: int = 0
    reflected: bool = False
    colours: bool = False
    elephants: bool = False

    def spaces(self) -> NDArray[np.int64]:
        """Where each space goes: int64 of shape (16,)."""
        area = np.arange(NUM_SPACES).reshape(WIDTH, WIDTH)
        comes_from = np.rot90(area[:, ::-1] if self.reflected else area, -self.quarters).ravel()
        return np.argsort(comes_from)

    def directions(self) -> NDArray[np.int64]:
        """Where each direction goes: int64 of shape (4,).

        >>> Symmetry(quarters=1).directions()  # north becomes east
        array([1, 2, 3, 0])
        """
        clockwise = np.arange(len(DIRECTIONS))
        return ((-clockwise if self.reflected else clockwise) + self.quarters) % len(DIRECTIONS)

    def actions(self) -> NDArray[np.int64]:
        """What each action becomes: int64 of shape (NUM_ACTIONS,), a permutation.

        It satisfies ``image_mask[actions] = mask``.

        >>> ACTIONS[Symmetry(reflected=True).actions()[ACTIONS.index("plant east")]]
        'plant west'
        """
        choices = {
            f"choose {space + 1}": f"choose {image + 1}"
            for space, image in enumerate(self.spaces())
        }
        return np.array(
            [ACTIONS.index(choices.get(name) or self._rename(name)) for name in ACTIONS]
        )

    def _rename(self, name: str) -> str:
        """What the name of an action or a plane becomes: directions and elephants in it change."""
        words = {
            name: DIRECTIONS[image]
            for name, image in zip(DIRECTIONS, self.directions(), strict=True)
        }
        if self.elephants:
            words |= dict(zip(ELEPHANTS, reversed(ELEPHANTS), strict=True))
        return " ".join(words.get(word, word) for word in name.split(" "))

    def tables(self) -> SymmetryTables:
        """The symmetry as tables of indices over observations and actions.

        If it exchanges colours, they turn what white sees of a position into what black sees of its
        image, and vice versa.

        >>> from tkm_env import Game
        >>> tables = Symmetry(quarters=1).tables()
        >>> game = Game()
        >>> game.play("choose 1")
        >>> image = tables.transform_actions(game.action_mask())
        >>> [ACTIONS[action] for action in image.nonzero()[0]]
        ['move south', 'move west']
        """
        numbers = {(plane.era, plane.name): number for number, plane in enumerate(PLANES)}
        elements = np.arange(len(PLANES) * NUM_SPACES).reshape(len(PLANES), NUM_SPACES)
        comes_from = elements.copy()
        for number, plane in enumerate(PLANES):
            image = numbers[plane.era, self._rename(plane.name)]
            if plane.layout == "spaces":
                comes_from[image, self.spaces()] = elements[number]
        flipped = np.zeros(OBSERVATION_HIGH.shape, np.bool_)
        flipped[numbers[None, "white"]] = self.colours
        return SymmetryTables(
            self.text,
            comes_from.reshape(OBSERVATION_HIGH.shape),
            np.argsort(self.actions()),
            flipped,
        )

    @property
    def text(self) -> str:
        """What it does, in a few words.

        >>> Symmetry(1, True, colours=True).text
        'west and east exchanged, turned by 90°, colours exchanged'
        """
        does = {
            "west and east exchanged": self.reflected,
            f"turned by {90 * self.quarters}°": self.quarters,
            "colours exchanged": self.colours,
            "elephants exchanged": self.elephants,
        }
        return ", ".join(text for text, done in does.items() if done) or "unchanged"

    def states(self, states: NDArray[np.void]) -> NDArray[np.void]:
        """The images of positions: an array of the same shape and dtype.

        Args:
            states: positions, of shape (n,) and the engine's dtype.

        >>> from tkm_env import Game
        >>> from tkm_env.games.tkm.notation import format_position
        >>> format_position(Symmetry(quarters=1, colours=True).states(Game().state)[0])
        '...B/..../..../W...|...B/..../..../W...|...B/..../..../W... - b c FP - 4/4 - ---/--- -/- 1'
        """
        return _images((self,), states)[:, 0]

    def pieces(self) -> NDArray[np.uint8]:
        """What each piece becomes."""
        pieces = np.arange(NUM_PIECES, dtype=np.uint8)
        for family, images in (
            (FALLEN, self.directions()),
            (COPY, np.arange(2)[:: -1 if self.colours else 1]),
            (STATUE, np.arange(2)[:: -1 if self.colours else 1]),
            (ELEPHANT, np.arange(2)[:: -1 if self.elephants else 1]),
        ):
            pieces[family : family + len(images)] = family + images
        return pieces


class _Maps(NamedTuple):
    """What each of k symmetries makes of the parts of a position.

    Attributes:
        places: from where a space gets what stands on it: int64 of shape (k, 16).
        pieces: what each piece becomes: uint8 of shape (k, pieces).
        elephants: whose hats an elephant gets: int64 of shape (k, 2).
        players: whose numbers a player gets: int64 of shape (k, 2).
        spaces: where each space goes, and at the end `NOWHERE`: int64 of shape (17, k).
        owners: who each player becomes, and at the end `NOBODY`: int64 of shape (3, k).
        results: what each result becomes: int64 of shape (results, k).
    """

    places: NDArray[np.int64]
    pieces: NDArray[np.uint8]
    elephants: NDArray[np.int64]
    players: NDArray[np.int64]
    spaces: NDArray[np.int64]
    owners: NDArray[np.int64]
    results: NDArray[np.int64]


@cache
def _maps(symmetries: tuple[Symmetry, ...]) -> _Maps:
    spaces = np.array([symmetry.spaces() for symmetry in symmetries])
    colours, elephants = (
        np.array([[getattr(symmetry, name)] for symmetry in symmetries])
        for name in ("colours", "elephants")
    )
    players = np.where(colours, (BLACK, WHITE), (WHITE, BLACK))
    results = np.tile(np.arange(TRUNCATED + 1), (len(symmetries), 1))
    results[:, WON : WON + 2] = WON + players
    return _Maps(
        np.argsort(spaces, 1),
        np.array([symmetry.pieces() for symmetry in symmetries]),
        np.where(elephants, (LIGHT, DARK), (DARK, LIGHT)),
        players,
        np.insert(spaces, NUM_SPACES, NOWHERE, 1).T,
        np.insert(players, 2, NOBODY, 1).T,
        results.T,
    )


def _images(symmetries: tuple[Symmetry, ...], states: NDArray[np.void]) -> NDArray[np.void]:
    """The images of n positions under k symmetries: an array of shape (n, k)."""
    maps, numbers = _maps(symmetries), np.arange(len(symmetries))
    as_bytes = states.view(np.dtype((np.void, states.itemsize)))
    images = as_bytes.repeat(len(symmetries)).view(states.dtype).reshape(len(states), -1)
    cells = states["cell"][..., maps.places].swapaxes(1, 2)
    images["cell"] = maps.pieces[numbers[:, None, None], cells]
    if states["seed"].any():
        images["seed"] = as_bits(as_spaces(states["seed"])[..., maps.places]).swapaxes(1, 2)
    # `NOWHERE` and `NOBODY` are indices of the end.
    images["active_space"] = maps.spaces[states["active_space"]]
    images["hat"] = maps.owners[states["hat"][:, maps.elephants], numbers[:, None, None]]
    images["to_act"] = maps.owners[states["to_act"]]
    images["result"] = maps.results[states["result"]]
    for field in _BY_PLAYER:
        images[field] = states[field][:, maps.players]
    return images


#: All symmetries, those that exchange elephants last; the first changes nothing.
SYMMETRIES: Final = tuple(
    Symmetry(quarters, reflected, colours, elephants)
    for elephants, colours, reflected, quarters in itertools.product(
        (False, True), (False, True), (False, True), range(4)
    )
)

#: Exchanges the players: the image of the start is the start with the other player to act.
#: Reflecting along the diagonal through the elephants takes white's corner to black's, and leaves
#: the elephants and the orange statue where they are.
PLAYERS_EXCHANGED: Final = Symmetry(quarters=1, reflected=True, colours=True)


def canonical(states: NDArray[np.void]) -> NDArray[np.void]:
    """The canonical form of each position, which all its images share.

    Args:
        states: positions, of shape (n,) and the engine's dtype.
    """
    symmetries = (
        SYMMETRIES if (states["chapters"] & MEMORY).any() else SYMMETRIES[: len(SYMMETRIES) // 2]
    )
    images = _images(symmetries, states).view(np.dtype((np.void, states.itemsize)))
    return np.frombuffer(bytearray(b"".join(map(min, images.tolist()))), states.dtype)
