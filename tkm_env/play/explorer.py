"""What was played in records from a position: the explorer of the page."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.core.record_files import from_record, read_records
from tkm_env.core.turns import played
from tkm_env.foundations.errors import ConfigError, IllegalActionError, TKMError
from tkm_env.play.adapter import ADAPTERS, PlayAdapter

_SUFFIXES: Final = (".json", ".jsonl")
#: The most turns that are told of a position, and the most players of each.
_MOST_TURNS: Final = 8
_MOST_PLAYERS: Final = 3


class PlayedTurn(NamedTuple):
    """A turn that was played from a position.

    Attributes:
        actions: the names of its actions, as they were played first.
        results: the number of games by their winner; None for games without one.
        players: the number of games by the player of the turn, most first.
    """

    actions: tuple[str, ...]
    results: Mapping[str | None, int]
    players: Mapping[str, int]

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.results.values())


class _RecordedTurn(NamedTuple):
    player: str
    actions: tuple[str, ...]
    after: str  # the key of the position after it


class _RecordedGame(NamedTuple):
    players: Mapping[str, str]
    winner: str | None
    turns: Sequence[_RecordedTurn]


class Explorer:
    """The games in files of records, by the positions that their turns began in.

    Args:
        path: a file of records, or a folder whose ``.json`` and ``.jsonl`` files are read.

    Attributes:
        num_read: the number of games read so far.
        is_complete: whether all have been read.
        problems: why files, or the rest of them, could not be read.

    Raises:
        ConfigError: if there is no such file or folder, or the folder has no such files.
    """

    def __init__(self, path: Path) -> None:
        self._files = [path] if path.is_file() else sorted(_files_in(path))
        if not self._files:
            raise ConfigError("records", str(path), "there are no records")
        self._games: list[_RecordedGame] = []
        #: By game and position: the indices of recorded games, and of their turns that begin there.
        self._begins: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        self._lock = threading.Lock()
        self.is_complete = False
        self.problems: list[str] = []

    @property
    def num_read(self) -> int:
        return len(self._games)

    def start(self) -> None:
        """Read in a thread of its own; what has been read can be asked for meanwhile."""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        """Read all games."""
        for file in self._files:
            try:
                for _, record in read_records(file):
                    self._add(record)
            except TKMError as error:
                self.problems.append(str(error))
        self.is_complete = True

    def _add(self, record: Mapping[str, Any]) -> None:
        """Keep a game, without a last turn that was broken off."""
        whole = from_record(record)
        adapter: PlayAdapter[Any] = ADAPTERS.of(whole.name)
        game: Any = whole.start
        keys: list[str] = []  # of the position before each turn, and after the last one
        turns: list[tuple[str, list[str]]] = []
        turn_id = None
        for action in record["actions"]:
            if game.turn_id != turn_id:
                turn_id = game.turn_id
                keys.append(adapter.position_key(game))
                turns.append((game.to_act, []))
            turns[-1][1].append(action)
            game.play(action)
        if turns and game.is_in_turn(turn_id):
            turns.pop()
        else:
            keys.append(adapter.position_key(game))
        told = [
            _RecordedTurn(player, tuple(actions), after)
            for (player, actions), after in zip(turns, keys[1:], strict=True)
        ]
        with self._lock:
            index = len(self._games)
            self._games.append(_RecordedGame(record.get("players") or {}, whole.winner, told))
            for number, key in enumerate(keys[: len(told)]):
                self._begins[whole.name, key].append((index, number))

    def turns_from(self, game: Any) -> list[PlayedTurn]:
        """Return the turns that were played from a position, the most frequent first.

        Turns that lead to the same position count as one. Those that the settings of the game rule
        out are left out.

        Args:
            game: the game at the position, at the start of a turn.

        Returns:
            The turns.
        """
        adapter: PlayAdapter[Any] = ADAPTERS.of(game.name)
        with self._lock:
            found = [*self._begins.get((game.name, adapter.position_key(game)), ())]
        # Turns with the same actions count as one even if another deck made them end elsewhere.
        ends: dict[tuple[str, ...], str] = {}
        same: dict[str, list[tuple[_RecordedTurn, _RecordedGame]]] = defaultdict(list)
        for index, number in found:
            recorded = self._games[index]
            turn = recorded.turns[number]
            same[ends.setdefault(turn.actions, turn.after)].append((turn, recorded))
        told: list[PlayedTurn] = []
        for games in sorted(same.values(), key=len, reverse=True):
            actions = _playable(game, (turn.actions for turn, _ in games))
            if actions is None:
                continue
            players = Counter(recorded.players.get(turn.player, "?") for turn, recorded in games)
            results = Counter(recorded.winner for _, recorded in games)
            told.append(PlayedTurn(actions, results, dict(players.most_common(_MOST_PLAYERS))))
            if len(told) == _MOST_TURNS:
                break
        return told


def _playable(game: Any, ways: Iterable[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The first way that can be played; None if the settings of this game rule all out."""
    for actions in dict.fromkeys(ways):
        with suppress(IllegalActionError):
            played(game, actions)
            return actions
    return None


def _files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
