"""How players are shown a game: observations, masks and the numbering of actions.

All environments ask here, and nowhere else.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.gather_plan import GatherPlan
from tkm_env.core.compact_observation import CompactRow, rows_of
from tkm_env.core.symmetries import SymmetryTables, unchanged
from tkm_env.foundations.checks import (
    as_array,
    checked_choice,
    checked_flag,
    checked_numbers,
    describe,
)
from tkm_env.foundations.errors import ArrayError, ConfigError

if TYPE_CHECKING:
    from tkm_env.core.game import BaseGame

PLANES: Final = "planes"
COMPACT: Final = "compact"
#: Any negative number stands for no action.
_ANY_CODE: Final = -(2**63)
#: What may be given as ``observation``.
OBSERVATIONS: Final = (PLANES, COMPACT)


class ObservationEncoder:
    """How players are shown a game under some settings.

    Args:
        game_class: the class of the game.
        config: its settings.
        observation: ``"planes"`` for the game's own observation, int8, the same under all settings;
            or ``"compact"`` for one-dimensional float32, from 0 to 1, with only what can vary
            between positions under these settings, each thing once.
        canonical: whether the second player is shown the game as if it were the first: it sees the
            image of the position under the symmetry that exchanges the players, and actions are
            numbered as in that image.

    Attributes:
        game_class: see above.
        config: see above.
        high: the largest value of each element of an observation, the smallest being 0: of an
            observation's shape and dtype.
        rows: what the elements of a compact observation are; empty for ``"planes"``.
        elements: the elements of the game's own observation that the first player is shown, as flat
            indices: int64 of shape (k,).
        gather_plan: which elements of the game's own observation each player is shown; None if
            players are shown all of them unchanged.

    Raises:
        ConfigError: if there is no such observation, or the game has no canonical view.

    >>> from tkm_env import Game
    >>> game = Game(chapters="growth")
    >>> encoder = ObservationEncoder(Game, game.config, "compact")
    >>> encoder.observation(game)[:4]
    array([1., 0., 0., 0.], dtype=float32)
    >>> encoder.rows[0]
    CompactRow(name='mine', era='past', start=0, length=16, meaning='my copies', high=1)
    """

    def __init__(
        self,
        game_class: type[BaseGame],
        config: Any,
        observation: str = PLANES,
        canonical: bool = False,
    ) -> None:
        self._arguments = game_class, config, observation, canonical
        self.game_class = game_class
        self.config = config
        own, num_actions = game_class.observation_high, len(game_class.action_names)
        as_it_is = unchanged(own.shape, num_actions)
        exchange = (
            game_class.player_swap_symmetry() if checked_flag("canonical", canonical) else as_it_is
        )
        fixed = exchange.flipped.ravel()
        compact = checked_choice("observation", observation, OBSERVATIONS) == COMPACT
        self.high: NDArray[Any] = own
        self.rows: tuple[CompactRow, ...] = ()
        self._parts = tuple(game_class.observation_parts(config)) if compact else ()
        self.elements: NDArray[np.int64] = np.arange(own.size)
        factors: NDArray[Any] = np.ones(own.size, np.int8)
        if compact:
            self.rows, self.elements = rows_of(self._parts, np.where(fixed, 0, own.ravel()))
            factors = (1 / own.ravel()[self.elements]).astype(np.float32)
            self.high = np.ones(len(self.elements), np.float32)
        self.gather_plan: GatherPlan | None = None
        if compact or canonical:
            elements = np.array(
                [tables.elements.ravel()[self.elements] for tables in (as_it_is, exchange)]
            )
            self.gather_plan = GatherPlan(elements, factors, own.size, fixed[self.elements])
        #: For each player and each action as that player numbers it, the game's own index; None
        #: where the two are equal.
        self._own_actions = np.array([as_it_is.actions, exchange.actions]) if canonical else None
        self._masks = (
            None
            if self._own_actions is None
            else GatherPlan(self._own_actions, np.ones(num_actions, np.int8), num_actions)
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> ObservationEncoder:
        """The encoder itself, since it is immutable."""
        return self

    def __repr__(self) -> str:
        game_class, config, observation, canonical = self._arguments
        return (
            f"ObservationEncoder({game_class.__name__}, {config!r}, {observation!r}, {canonical!r})"
        )

    def __reduce__(self) -> tuple[type[ObservationEncoder], tuple[Any, ...]]:
        return ObservationEncoder, self._arguments

    # One game.

    def own_action(self, game: BaseGame, action: int) -> int:
        """The game's own index of an action.

        Args:
            game: the game.
            action: the action as the player to act numbers it.

        Returns:
            The index; an ``action`` that is out of range is returned unchanged.
        """
        if self._own_actions is None or not 0 <= action < self._own_actions.shape[1]:
            return action
        return int(self._own_actions[_viewer(game), action])

    def play_and_observe(self, game: BaseGame, action: int) -> NDArray[Any]:
        """Carry out a legal action, and observe the game.

        Args:
            game: the game, which is played on.
            action: the action as the player to act numbers it.

        Returns:
            The `observation` of the next player to act.

        Raises:
            IllegalActionError: if the action is not legal; the game is unchanged.
        """
        if self.gather_plan is None:
            return game.play_and_observe(action)
        seen = game.play_and_observe(self.own_action(game, action))
        return self.gather_plan.of_one(seen, _viewer(game)).reshape(self.high.shape)

    def observation(self, game: BaseGame, player: str | None = None) -> NDArray[Any]:
        """What a player sees.

        Args:
            game: the game.
            player: the player's name; None for the player to act.

        Returns:
            A new array of the shape and dtype of `high`.
        """
        seen = game.observation(player)
        return (
            seen
            if self.gather_plan is None
            else self.gather_plan.of_one(seen, _viewer(game, player)).reshape(self.high.shape)
        )

    def action_mask(self, game: BaseGame) -> NDArray[np.int8]:
        """1 for each legal action, as the player to act numbers them, and 0 for all others.

        It is a new array, int8 of shape (actions,).
        """
        mask = game.action_mask()
        return mask if self._masks is None else self._masks.of_one(mask, _viewer(game))

    # Many games.

    @property
    def renumbers_actions(self) -> bool:
        """Whether players number actions, and so masks, differently from the game."""
        return self._masks is not None

    def write_masks(
        self, masks: NDArray[np.int8], viewers: NDArray[np.int64], shown: NDArray[np.int8]
    ) -> None:
        """Write masks of legal actions as some viewers are shown them.

        Args:
            masks: the games' own masks, such as a batch's: int8 of shape (n, actions).
            viewers: the index of a player for each mask: integers of shape (n,).
            shown: where to write: int8 of shape (n, actions), C-contiguous.

        Raises:
            ArrayError: if an array is invalid; nothing is written then.
        """
        seen_by = self._checked_viewers(viewers)
        shape = (len(seen_by), len(self.game_class.action_names))
        for name, array in (("masks", masks), ("shown", shown)):
            if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != np.int8:
                raise ArrayError(name, describe(array), f"int8 of shape {shape}")
        if not shown.flags.carray:
            raise ArrayError(
                "shown", f"{describe(shown)}, read-only or not C-contiguous", "an array to write to"
            )
        if self._masks is None:
            np.copyto(shown, masks)
        else:
            self._masks.write(masks, seen_by.astype(np.int64), shown)

    def own_actions(
        self, actions: NDArray[np.int64], viewers: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The games' own indices of actions that some viewers have chosen.

        Args:
            actions: the actions as the viewers number them: integers of shape (n,). Negative ones,
                such as `NO_ACTION`, stay as they are.
            viewers: the index of a player for each action: integers of shape (n,).

        Returns:
            The indices: int64 of shape (n,).

        Raises:
            ArrayError: if an array is invalid, or there is no such action.
        """
        seen_by = self._checked_viewers(viewers)
        given = checked_numbers(
            "actions", actions, seen_by.shape, _ANY_CODE, len(self.game_class.action_names) - 1
        )
        return self.renumber(given, seen_by)

    def renumber(self, actions: NDArray[np.int64], viewers: NDArray[np.int64]) -> NDArray[np.int64]:
        """`own_actions` for arrays that have been checked.

        Args:
            actions: the actions as the viewers number them: int64 of shape (n,).
            viewers: the index of a player for each action: int64 of shape (n,).

        Returns:
            The games' own indices: int64 of shape (n,).
        """
        return (
            actions
            if self._own_actions is None
            else np.where(actions < 0, actions, self._own_actions[viewers, actions])
        )

    def _checked_viewers(self, viewers: NDArray[Any]) -> NDArray[np.int64]:
        return checked_numbers(
            "viewers", viewers, (as_array(viewers).size,), 0, len(self.game_class.players) - 1
        )

    # Symmetries and constants.

    @cached_property
    def symmetries(self) -> tuple[SymmetryTables, ...]:
        """The symmetries of the rules as tables over what is shown; the first changes nothing.

        The canonical view has none that exchange the players.
        """
        own = self.game_class.symmetries(self.config)
        if self._masks is not None:
            own = [tables for tables in own if not tables.flipped.any()]
        if not self.rows:
            return tuple(own)
        first = np.arange(self.game_class.observation_high.size)
        for part in self._parts:
            for number in range(part.copies):
                first[np.array(part.elements) + number] = part.elements
        place = np.full(first.size, -1)
        place[self.elements] = np.arange(len(self.elements))
        found = []
        for tables in own:
            elements = place[first[tables.elements.ravel()[self.elements]]]
            if (elements >= 0).all():  # it maps shown elements to shown elements
                found.append(
                    tables._replace(
                        elements=elements, flipped=tables.flipped.ravel()[self.elements]
                    )
                )
        return tuple(found)

    def check(self, game: BaseGame, keyword: str, given: object) -> None:
        """Check that a compact observation shows all that is special about a game.

        It leaves out what cannot occur under these settings, such as pieces of chapters that are
        not in play; a game must not have any of that.

        Args:
            game: the game.
            keyword: the argument that led to the game, for error messages.
            given: its value.

        Raises:
            ConfigError: naming the keyword, if the game has something that would be left out.
        """
        if not self.rows:
            return
        left_out, constants = self._left_out
        for player in game.players:
            hidden = left_out[game.observation(player).ravel()[left_out] != constants]
            if len(hidden):
                raise ConfigError(
                    keyword,
                    given,
                    f"with observation={COMPACT!r} it cannot be told from what these settings "
                    f"lead to: it differs in element {hidden[0]} of the game's own observation, "
                    f"which is constant there and left out",
                )

    @cached_property
    def _left_out(self) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """The elements of the game's own observation that these settings fix, and their values."""
        shown = [
            element + copy
            for part in self._parts
            for element in part.elements
            for copy in range(part.copies)
        ]
        left_out = np.setdiff1d(np.arange(self.game_class.observation_high.size), shown)
        return left_out, self.game_class(self.config, seed=0).observation().ravel()[left_out]


def _viewer(game: BaseGame, player: str | None = None) -> int:
    return game.players.index(game.to_act if player is None else player)


class ObservationEncoders:
    """An `ObservationEncoder` for any game, made again whenever the settings change.

    Args:
        observation: as for `ObservationEncoder`.
        canonical: as for `ObservationEncoder`.

    Raises:
        ConfigError: if there is no such observation.
    """

    def __init__(self, observation: str = PLANES, canonical: bool = False) -> None:
        self._observation = checked_choice("observation", observation, OBSERVATIONS)
        self._canonical = checked_flag("canonical", canonical)
        self._latest: ObservationEncoder | None = None

    def on(self, game_class: type[BaseGame], config: Any) -> ObservationEncoder:
        """How games under some settings are shown.

        Args:
            game_class: the class of the games.
            config: their settings.

        Returns:
            The encoder of the last call if these are the same, or a new one.

        Raises:
            ConfigError: if the game has no canonical view.
        """
        known = self._latest
        if known is None or known.game_class is not game_class or known.config != config:
            known = self._latest = ObservationEncoder(
                game_class, config, self._observation, self._canonical
            )
        return known
