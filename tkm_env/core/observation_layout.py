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
    """What the elements of ``observation="compact"`` are under these settings, in order. Raises a `ConfigError` naming the keyword that is
    unknown or has an invalid value.

    Args:
        game: the name of the game; None for the first in the registry.
        canonical: as environments take it.
        **settings: the keywords of the game's config.

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
    """The symmetries of a game's rules, as tables of indices over observations and actions; the first changes nothing.

    With ``canonical=True`` there are none that exchange the players. Arguments and errors as for `compact_layout`.

    >>> from tkm_env import Batch
    >>> batch = Batch(3)
    >>> observations = batch.observations_of([0, 1, 2], [0, 0, 0])
    >>> turned = symmetries()[1]
    >>> turned.name, turned.transform_observations(observations).shape, turned.transform_actions(batch.masks).nonzero()[1]
    ('turned by 90°', (3, 84, 4, 4), array([3, 3, 3]))
    """
    return _encoder(game, observation, canonical, settings).symmetries


def _encoder(
    game: str | None, observation: str, canonical: bool, settings: dict[str, Any]
) -> ObservationEncoder:
    spec = game_spec(default_game() if game is None else game)
    return ObservationEncoder(spec.game_class, spec.config(settings), observation, canonical)
