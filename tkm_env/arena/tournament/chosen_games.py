"""The games of a continuous tournament, in the order in which they were chosen."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tkm_env.arena.playing.schedule import Entrant, ScheduledGame, has_swapped_sides
from tkm_env.arena.tournament.tournament_schedule import Pairing


class ChosenGames:
    """The games chosen so far, and the number of pairs of games of each pairing.

    Args:
        pair_of: returns a pairing's pair of games with this index.
        pairing_of: returns the pairing to which a game belongs.
    """

    def __init__(
        self,
        pair_of: Callable[[Pairing, int], tuple[ScheduledGame, ScheduledGame]],
        pairing_of: Callable[[ScheduledGame], Pairing],
    ) -> None:
        self._pair_of, self._pairing_of = pair_of, pairing_of
        self.in_order: list[ScheduledGame] = []
        self.pairs: Counter[Pairing] = Counter()  # the number of pairs of games of each pairing
        self.games_of: Counter[str] = Counter()  # the number of games of each player
        #: Half of every game's seed, which both games of a pair share.
        self._halves: set[int] = set()

    def __len__(self) -> int:
        return len(self.in_order)

    def append(self, pairing: Pairing) -> None:
        """Choose the next pair of games of these players."""
        index = self.pairs[pairing]
        while self._pair_of(pairing, index)[0].seed // 2 in self._halves:
            index += 1
        pair = self._pair_of(pairing, index)
        self._count(pairing, pair[0])
        self.in_order.extend(pair)

    def leave_out(self, fixture: ScheduledGame) -> None:
        """Stop counting a game that was left out, so that its players may get another one."""
        self.games_of.subtract(fixture.players.values())
        if not has_swapped_sides(fixture.seed):
            self.pairs[self._pairing_of(fixture)] -= 1

    def begin_with(self, played: Sequence[ScheduledGame], players: Mapping[str, Entrant]) -> None:
        """Forget all other games, and choose the missing games of these games' pairs.

        Args:
            played: the games to keep, in their order.
            players: the players that can play now, by name.
        """
        self.in_order = [*played]
        self.pairs.clear()
        self.games_of.clear()
        self._halves.clear()
        for fixture in played:
            if fixture.seed // 2 not in self._halves:
                self._count(self._pairing_of(fixture), fixture)
        seeds = {fixture.seed for fixture in played}
        for fixture in played:
            names = fixture.players.values()
            if fixture.seed ^ 1 not in seeds and players.keys() >= {*names}:
                second, first = (players[name] for name in names)
                other = dataclasses.replace(
                    fixture, seed=fixture.seed ^ 1, contestants=(first, second)
                )
                self.in_order.append(other)

    def _count(self, pairing: Pairing, fixture: ScheduledGame) -> None:
        self.pairs[pairing] += 1
        self.games_of.update(dict.fromkeys(pairing.names, 2))
        self._halves.add(fixture.seed // 2)
