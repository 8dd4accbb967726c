"""How players are shown a game: the one thing that all environments ask about observations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.compact import CompactRow, rows_of
from tkm_env.core.registry import default_game, game_spec
from tkm_env.core.selection import Selection
from tkm_env.errors import ConfigError

if TYPE_CHECKING:
    from tkm_env.core.game import BaseGame

__all__ = ["COMPACT", "OBSERVATIONS", "PLANES", "Perspective", "Perspectives", "checked_observation", "compact_layout"]

PLANES: Final = "planes"
COMPACT: Final = "compact"
#: What may be given as ``observation``.
OBSERVATIONS: Final = (PLANES, COMPACT)


def checked_observation(given: object) -> str:
    """One of `OBSERVATIONS`.

    Raises:
        ConfigError: if it is none of them.
    """
    if not isinstance(given, str) or given not in OBSERVATIONS:
        raise ConfigError("observation", given, f"it must be {' or '.join(map(repr, OBSERVATIONS))}")
    return given


class Perspective:
    """How players are shown a game under some settings.

    Args:
        game_class: which game.
        config: its settings.
        observation: ``"planes"``: the game's own observation, int8, the same under all settings. ``"compact"``: float32 of one dimension,
            0 to 1, with only what can differ from position to position under these settings, and each thing once.

    Attributes:
        game_class: see above.
        config: see above.
        high: the largest value of each element of an observation, the smallest being 0: of an observation's shape and dtype.
        rows: what the elements of a compact observation are; empty for ``"planes"``.
        elements: which elements of the game's own observation are shown, as indices into its memory: int64 of shape (k,).
        selection: how they are written; None for all, as they are.

    Raises:
        ConfigError: if ``observation`` is neither.

    >>> from tkm_env import Game
    >>> game = Game(chapters="growth")
    >>> perspective = Perspective(Game, game.config, "compact")
    >>> perspective.observation(game)[:4]
    array([1., 0., 0., 0.], dtype=float32)
    >>> perspective.rows[0]
    CompactRow(name='mine', era='past', start=0, length=16, meaning='my copies', high=1)
    """

    def __init__(self, game_class: type[BaseGame], config: Any, observation: str = PLANES) -> None:
        self.game_class = game_class
        self.config = config
        self.high: NDArray[Any] = game_class.observation_high
        self.rows: tuple[CompactRow, ...] = ()
        self.elements: NDArray[np.int64] = np.arange(self.high.size)
        self.selection: Selection | None = None
        if checked_observation(observation) == COMPACT:
            bounds = game_class.observation_high.ravel()
            self._parts = tuple(game_class.observation_parts(config))
            self.rows, self.elements = rows_of(self._parts, bounds)
            factors = (1 / bounds[self.elements]).astype(np.float32)
            self.selection = Selection(np.tile(self.elements, (len(game_class.players), 1)), factors, bounds.size)
            self.high = np.ones(len(self.elements), np.float32)

    def __deepcopy__(self, memo: dict[int, Any]) -> Perspective:
        """The very same: nothing changes it."""
        return self

    def observation(self, game: BaseGame, player: str | None = None) -> NDArray[Any]:
        """What a player, by default the player to act, sees; a new array.

        Raises:
            ConfigError: if there is no such player.
        """
        seen = game.observation(player)
        return seen if self.selection is None else self.selection.of_one(seen, self._number_of(game, player))

    def play_and_observe(self, game: BaseGame, action: int | str) -> NDArray[Any]:
        """Carry out a legal action, and return what the player to act then sees; a new array.

        Raises:
            IllegalActionError: if the action is not legal; the game is unchanged.
        """
        seen = game.play_and_observe(action)
        return seen if self.selection is None else self.selection.of_one(seen, self._number_of(game, None))

    @staticmethod
    def _number_of(game: BaseGame, player: str | None) -> int:
        return game.players.index(game.to_act if player is None else player)

    def check(self, game: BaseGame, keyword: str, given: object) -> None:
        """Check that nothing of a game is hidden from here because these settings never have it.

        Raises:
            ConfigError: naming the keyword that led to the game, if something is.
        """
        if self.selection is None:
            return
        left_out, constants = self._left_out
        for player in game.players:
            hidden = left_out[game.observation(player).ravel()[left_out] != constants]
            if len(hidden):
                raise ConfigError(
                    keyword,
                    given,
                    f"with observation={COMPACT!r} it cannot be told from what these settings lead to: it differs in element {hidden[0]} "
                    f"of the game's own observation, which is constant there and left out",
                )

    @cached_property
    def _left_out(self) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """The elements of the game's own observation that are constant under these settings, and their values."""
        shown = [element + copy for part in self._parts for element in part.elements for copy in range(part.copies)]
        left_out = np.setdiff1d(np.arange(self.game_class.observation_high.size), shown)
        return left_out, self.game_class(self.config, seed=0).observation().ravel()[left_out]


class Perspectives:
    """How players are shown whatever games they play: a `Perspective` for each, which is made when the settings change.

    Args:
        observation: one of `OBSERVATIONS`.

    Raises:
        ConfigError: if it is none of them.
    """

    def __init__(self, observation: str = PLANES) -> None:
        self._observation = checked_observation(observation)
        self._latest: Perspective | None = None

    def on(self, game_class: type[BaseGame], config: Any) -> Perspective:
        """How games under these settings are shown."""
        known = self._latest
        if known is None or known.game_class is not game_class or known.config != config:
            known = self._latest = Perspective(game_class, config, self._observation)
        return known


def compact_layout(game: str | None = None, **settings: Any) -> tuple[CompactRow, ...]:
    """What the elements of ``observation="compact"`` are under these settings, in order.

    Args:
        game: the name of the game; None for the first in the registry.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.

    >>> for row in compact_layout(chapters="standard", max_turns=50)[-3:]:
    ...     print(row.name, row.start, row.length, row.high)
    my supply 156 1 7
    their supply 157 1 7
    turn, units 158 1 99
    """
    spec = game_spec(default_game() if game is None else game)
    return Perspective(spec.game_class, spec.config(settings), COMPACT).rows
