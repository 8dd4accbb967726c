"""Nine feats that players complete.

They are this project's own, since the rulebooks do not print the texts of the envelopes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from tkm_env.foundations.checks import checked_instance
from tkm_env.games.tkm.engine.geometry import ERAS
from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.games.tkm.events import Died, Event, Grew, Toppled, Travelled
from tkm_env.games.tkm.game import Game, Ply


class Achievement(NamedTuple):
    """One feat.

    Attributes:
        name: the name.
        description: what to do, in one sentence.
        unlocks: the set of powers in its envelope, or None.
        test: given a game, a player and all plies so far, returns the index of the ply that
            completed the feat, or None.
    """

    name: str
    description: str
    unlocks: str | None
    test: Callable[[Game, str, list[Ply]], int | None]


def achieved(game: Game) -> list[tuple[str, str]]:
    """The feats completed in a game so far, each with the player who completed it first.

    Returns:
        Their names and players, in the order of completion.

    Raises:
        ConfigError: if it is not a `Game`.

    >>> achieved(Game())
    []
    """
    plies = list(checked_instance("game", game, Game).plies())
    completed = []
    for number, achievement in enumerate(ACHIEVEMENTS):
        when = [
            (ply, player)
            for player in PLAYERS
            if (ply := achievement.test(game, player, plies)) is not None
        ]
        if when:
            completed.append((min(when), number, achievement.name))
    return [(name, player) for (_, player), _, name in sorted(completed)]


def _other(player: str) -> str:
    return PLAYERS[1 - PLAYERS.index(player)]


def _deaths(events: list[Event], player: str, how: str | None = None) -> list[Died]:
    return [
        event
        for event in events
        if isinstance(event, Died) and event.player == player and how in (None, event.how)
    ]


def _first_ply(plies: list[Ply], player: str, test: Callable[[list[Event]], bool]) -> int | None:
    return next(
        (number for number, ply in enumerate(plies) if ply.player == player and test(ply.events)),
        None,
    )


def _last_ply(game: Game, player: str, plies: list[Ply], condition: bool) -> int | None:
    """The last ply, if the player won on the boards and under this condition.

    A player whose opponent conceded has not won on the boards.
    """
    return (
        len(plies) - 1
        if condition and game.winner == player and game.eras_held[_other(player)] <= 1
        else None
    )


def _kills_a_pair(game: Game, player: str, plies: list[Ply]) -> int | None:
    return _first_ply(
        plies, player, lambda events: len(_deaths(events, _other(player), "paradox")) >= 2
    )


def _fells_dominoes(game: Game, player: str, plies: list[Ply]) -> int | None:
    def hits(first: Toppled, second: Toppled, crushed: Died) -> bool:
        return (
            first.era == second.era == crushed.era
            and first.to == second.space
            and second.to == crushed.space
        )

    def test(events: list[Event]) -> bool:
        trees = [event for event in events if isinstance(event, Toppled)]
        crushed = _deaths(events, _other(player), "crush")
        return any(
            hits(first, second, death) for first in trees for second in trees for death in crushed
        )

    return _first_ply(plies, player, test)


def _wins_on_the_brink(game: Game, player: str, plies: list[Ply]) -> int | None:
    return _last_ply(game, player, plies, game.eras_held[player] <= 1)


def _stampedes(game: Game, player: str, plies: list[Ply]) -> int | None:
    trampled: Counter[int] = Counter()
    for number, ply in enumerate(plies):
        if ply.player == player:
            trampled[ply.turn] += len(_deaths(ply.events, _other(player), "trample"))
            if trampled[ply.turn] >= 2:
                return number
    return None


def _stays_at_home(game: Game, player: str, plies: list[Ply]) -> int | None:
    travelled = _first_ply(
        plies, player, lambda events: any(isinstance(event, Travelled) for event in events)
    )
    return _last_ply(game, player, plies, travelled is None)


def _reaches_through_time(game: Game, player: str, plies: list[Ply]) -> int | None:
    def test(events: list[Event]) -> bool:
        # The first event is in the era of the action.
        return any(
            ERAS.index(death.era) > ERAS.index(events[0].era)
            for death in _deaths(events, _other(player))
        )

    return _first_ply(plies, player, test)


def _has_green_fingers(game: Game, player: str, plies: list[Ply]) -> int | None:
    trees = [
        number
        for number, ply in enumerate(plies)
        for event in ply.events
        if ply.player == player and isinstance(event, Grew) and event.piece == "standing tree"
    ]
    return trees[2] if len(trees) > 2 else None


def _wins_unharmed(game: Game, player: str, plies: list[Ply]) -> int | None:
    return _last_ply(game, player, plies, not any(_deaths(ply.events, player) for ply in plies))


def _goes_together(game: Game, player: str, plies: list[Ply]) -> int | None:
    return _first_ply(
        plies,
        player,
        lambda events: bool(_deaths(events, player) and _deaths(events, _other(player))),
    )


#: All feats.
ACHIEVEMENTS: Final = (
    Achievement(
        "two-of-a-kind", "Kill two of the opponent's copies in one paradox.", "self", _kills_a_pair
    ),
    Achievement(
        "dominoes",
        "Crush an opponent's copy with a tree that another tree pushed.",
        "matter",
        _fells_dominoes,
    ),
    Achievement(
        "on-the-brink",
        "Win on a turn that leaves you in one era, or none.",
        None,
        _wins_on_the_brink,
    ),
    Achievement(
        "stampede", "Trample two of the opponent's copies in one turn.", "beasts", _stampedes
    ),
    Achievement("stay-at-home", "Win without ever travelling.", None, _stays_at_home),
    Achievement(
        "long-arm",
        "Kill an opponent's copy in an era later than the one you act in.",
        None,
        _reaches_through_time,
    ),
    Achievement("green-fingers", "Grow three trees in one game.", None, _has_green_fingers),
    Achievement("unharmed", "Win without losing a copy.", None, _wins_unharmed),
    Achievement(
        "together",
        "Kill an opponent's copy and one of your own with one action.",
        None,
        _goes_together,
    ),
)
