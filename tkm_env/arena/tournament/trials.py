"""The trials of players in a continuous tournament, and the players that are out."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

#: A player that loses this many games in a row through its own faults is out.
_MOST_FAULTS: Final = 10
#: The games of a trial: a pair.
_TRIAL_GAMES: Final = 2


class Trials:
    """The progress of players' trial games under each of the settings, and their faults.

    A player that loses a trial game through its own fault is out, and so is one that loses ten
    games in a row that way.

    Args:
        notify: called with the name and the digest of a player that is out, and with the reason.
    """

    def __init__(self, notify: Callable[[str, str, str], object]) -> None:
        self._notify = notify
        self.benched: set[str] = set()  # the players that are out
        #: The number of games that a player has ended under the settings with an index.
        self._ended: Counter[tuple[str, int]] = Counter()
        self._faults_in_a_row: Counter[str] = Counter()

    def is_over(self, name: str, settings_index: int) -> bool:
        """Whether a player has ended its trial under some settings.

        Args:
            name: the player's name.
            settings_index: the index of the settings.

        Returns:
            Whether both trial games have ended.
        """
        return self._ended[name, settings_index] >= _TRIAL_GAMES

    def watch(self, settings_index: int, record: Mapping[str, Any]) -> None:
        """Take note of how a game ended.

        Args:
            settings_index: the index of the settings under which it was played.
            record: the game's record.
        """
        fault = record.get("fault")
        for side, name in record["players"].items():
            is_trial = not self.is_over(name, settings_index)
            self._ended[name, settings_index] += 1
            if fault is None or fault["player"] != side:
                self._faults_in_a_row[name] = 0
                continue
            self._faults_in_a_row[name] += 1
            if name not in self.benched and (
                is_trial or self._faults_in_a_row[name] >= _MOST_FAULTS
            ):
                self.benched.add(name)
                lost = "a trial game" if is_trial else "game after game"
                why = f"{name} is out: it lost {lost} by {fault['kind']}, {fault['seen']}"
                self._notify(name, record.get("digest", {}).get(side, ""), why)
