"""The table of a tournament in rounds: its players in the order of that event."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from tkm_env.arena.game_counts import Played

Two: TypeAlias = tuple[str, str]
#: The opponent of the player that is left over in a round; no player can have this name.
NOBODY: Final = "nobody@0"


class EventRow(NamedTuple):
    """The place of a player in an event."""

    rank: int  # from 1; players that nothing separates share a rank
    player: str
    cells: tuple[str, ...]  # what the rank follows from, one for each column


class EventTable(NamedTuple):
    """The players of an event, best first."""

    columns: tuple[str, ...]
    rows: tuple[EventRow, ...]
    how: str  # a sentence on what the order follows from
    is_over: bool


class Scores:
    """What players scored against each other; in these events, no two meet more than once.

    Args:
        played: the results of all games so far.
    """

    def __init__(self, played: Iterable[Played]) -> None:
        self._points: defaultdict[Two, float] = defaultdict(float)
        self._games: defaultdict[Two, float] = defaultdict(float)
        for first, second, points, games, *_ in played:
            for two, gained in (((first, second), points), ((second, first), 1 - points)):
                self._points[two] += gained * games
                self._games[two] += games

    def points(self, player: str, other: str) -> float:
        """Return the points of one player against another.

        Args:
            player: the name of the player.
            other: the name of the other player.

        Returns:
            The points; 0 if they have not met.
        """
        return self._points[player, other]

    def games(self, player: str, other: str) -> float:
        """Return the number of games between two players.

        Args:
            player: the name of the player.
            other: the name of the other player.

        Returns:
            The number; 0 if they have not met.
        """
        return self._games[player, other]


def swiss_table(
    players: Sequence[str],
    rounds: Sequence[Sequence[Two]],
    scores: Scores,
    games: int,
    *,
    is_over: bool,
) -> EventTable:
    """Put the players of a Swiss tournament in order.

    Args:
        players: all players, in the order in which they were drawn.
        rounds: who met whom in each round; `NOBODY` meets the player that sat out.
        scores: the scores so far.
        games: the number of games of a match; a match counts once it has this many.
        is_over: whether all rounds are over.

    Returns:
        The table.
    """
    matches: dict[str, float] = dict.fromkeys(players, 0.0)
    met: dict[str, list[str]] = {player: [] for player in players}
    for two in (two for pairs in rounds for two in pairs):
        for player, other in (two, two[::-1]):
            if player == NOBODY:
                continue
            if other == NOBODY:
                matches[player] += 1
            elif scores.games(player, other) < games:
                continue
            else:
                share = scores.points(player, other) - games / 2
                matches[player] += 0.5 * (1 + (share > 0) - (share < 0))
            met[player].append(other)
    standing = {
        player: (
            matches[player],
            sum(matches[player if other == NOBODY else other] for other in met[player]),
            sum(scores.points(player, other) for other in met[player]),
        )
        for player in players
    }
    return EventTable(
        ("match points", "opponents' match points", "points"),
        _ranked({player: (values, _texts(values)) for player, values in standing.items()}),
        "A match won or a round sat out is one match point, a tied match half of one. Equal "
        "players are ordered by the match points of their opponents (a round sat out counts as an "
        "opponent with as many as oneself), then by the points in their games.",
        is_over,
    )


def knockout_table(
    players: Sequence[str],
    rounds: Sequence[Sequence[Two]],
    left: Sequence[str],
    scores: Scores,
    *,
    is_over: bool,
) -> EventTable:
    """Put the players of a knockout in order: whoever was out later stands above.

    Args:
        players: all players, in the order in which they were drawn.
        rounds: who met whom in each round.
        left: the players that are not out.
        scores: the scores so far.
        is_over: whether the final is over.

    Returns:
        The table.
    """
    standing: dict[str, tuple[tuple[float, ...], tuple[str, ...]]] = {}
    last = {
        player: (number, other)
        for number, pairs in enumerate(rounds, 1)
        for two in pairs
        for player, other in (two, two[::-1])
    }
    for player in players:
        number, other = last.get(player, (0, ""))
        result = f"{scores.points(player, other):g} : {scores.points(other, player):g} against "
        if player not in left:
            standing[player] = (number,), (f"out in round {number}", f"{result}{other}")
        elif is_over:
            standing[player] = (len(rounds) + 1,), ("winner", f"{result}{other}")
        else:
            standing[player] = (len(rounds) + 1,), ("still in", "")
    return EventTable(
        ("", "last match"),
        _ranked(standing),
        "Whoever was out in a later round stands above; players out in the same round share a "
        "rank.",
        is_over,
    )


def _ranked(
    standing: Mapping[str, tuple[tuple[float, ...], tuple[str, ...]]],
) -> tuple[EventRow, ...]:
    """Put players in order by what they have reached, most first."""
    order = sorted(standing, key=lambda player: standing[player][0], reverse=True)
    reached = [standing[player][0] for player in order]
    return tuple(
        EventRow(1 + reached.index(standing[player][0]), player, standing[player][1])
        for player in order
    )


def _texts(values: Iterable[float]) -> tuple[str, ...]:
    return tuple(f"{value:g}" for value in values)
