"""What observations hold and which symmetries they have, by the name of a game."""

from __future__ import annotations

from typing import Any

from tkm_env.core.compact_observation import CompactRow
from tkm_env.core.observation_encoder import COMPACT, PLANES, ObservationEncoder
from tkm_env.core.registry import default_game, game_spec
from tkm_env.core.symmetries import SymmetryTables


def compact_layout(
    game: str | None = None, *, canonical: bool = False, **settings: Any
) -> tuple[CompactRow, ...]:
    """What the elements of ``observation="compact"`` mean under these settings, in order.

    Args:
        game: the name of the game; None for the first in the registry.
        canonical: whether the second player is shown the game as if it were the first, as in
            environments.
        **settings: the keywords of the game's config.

    Returns:
        A row for each run of elements with one meaning.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.

    >>> for row in compact_layout(chapters="standard", max_turns=50)[-3:]:
    ...     print(row.name, row.start, row.length, row.high)
    my supply 156 1 7
    their supply 157 1 7
    turn, units 158 1 99
    """
    return _encoder(game, COMPACT, canonical, settings).rows


def symmetries(
    game: str | None = None, *, observation: str = PLANES, canonical: bool = False, **settings: Any
) -> tuple[SymmetryTables, ...]:
    """The symmetries of a game's rules, as tables of indices over observations and actions.

    Args:
        game: the name of the game; None for the first in the registry.
        observation: which observations: ``"planes"`` or ``"compact"``.
        canonical: as for `compact_layout`; if true, there are no symmetries that exchange the
            players.
        **settings: the keywords of the game's config.

    Returns:
        The tables; the first symmetry changes nothing.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.

    >>> from tkm_env import Batch
    >>> batch = Batch(3)
    >>> observations = batch.observations_of([0, 1, 2], [0, 0, 0])
    >>> turned = symmetries()[1]
    >>> turned.name, turned.transform_observations(observations).shape
    ('turned by 90°', (3, 84, 4, 4))
    >>> turned.transform_actions(batch.masks).nonzero()[1]
    array([3, 3, 3])
    """
    return _encoder(game, observation, canonical, settings).symmetries


def _encoder(
    game: str | None, observation: str, canonical: bool, settings: dict[str, Any]
) -> ObservationEncoder:
    spec = game_spec(default_game() if game is None else game)
    return ObservationEncoder(spec.game_class, spec.config(settings), observation, canonical)
