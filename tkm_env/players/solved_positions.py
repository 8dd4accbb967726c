"""Positions whose outcome under best play is known, with the outcome of every turn."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from tkm_env.core.game import BaseGame
from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.errors import FileError, repr_of
from tkm_env.foundations.files import check_version, parsed_json, read_file, write_file

#: The kind of a file of solved positions, in its first line.
KIND: Final = "tkm_env solved positions"
#: The halves of all positions: a learner may see the first, and is tested with the second.
SPLITS: Final = ("training", "test")
_VERSION: Final = 1


class SolvedPosition(NamedTuple):
    """A position between two turns, with the truth about it.

    Outcomes count turns of both sides until best play decides the game: an odd number if the side
    to act wins, an even one if it loses, 0 if neither side can force a win.

    Attributes:
        position: the text of the position.
        outcome: the outcome.
        turns: for each position that a turn can lead to, in the order of their texts, the outcome
            if that turn is played; 1 if the turn wins at once.

    >>> solved = SolvedPosition("...", 3, (0, 3, 5, 2))
    >>> solved.expected_result, solved.keeps_result(5), solved.keeps_result(0)
    (1, True, False)
    """

    position: str
    outcome: int
    turns: tuple[int, ...]

    @property
    def expected_result(self) -> int:
        """The result for the side to act: 1 for a win, -1 for a loss, 0 if neither can win."""
        return result_of(self.outcome)

    def keeps_result(self, outcome: int) -> bool:
        """Whether a turn keeps the win, or the draw; any turn keeps a loss.

        Args:
            outcome: the outcome if the turn is played.
        """
        return result_of(outcome) == self.expected_result

    def outcome_of(self, before: BaseGame, after: BaseGame) -> int:
        """Look up the outcome of a turn.

        Args:
            before: a game at this position.
            after: the game after a whole turn from there.

        Returns:
            The outcome.

        Raises:
            ValueError: if no turn leads there.
        """
        ends = sorted(turn.after.position for turn in before.turns())
        return self.turns[ends.index(after.position)]


def result_of(outcome: int) -> int:
    """Return the result that an outcome means for the side to act: 1, 0 or -1."""
    return 0 if outcome == 0 else 1 if outcome % 2 else -1


def preference(outcome: int) -> int:
    """Return how good an outcome is for the side to act: quick wins first, quick losses last.

    >>> sorted([2, 0, 9, 4, 1], key=preference, reverse=True)
    [1, 9, 0, 4, 2]
    """
    return result_of(outcome) * (1 << 16) + (-outcome if outcome % 2 else outcome)


def write_solved_positions(
    path: str | os.PathLike[str], positions: Iterable[SolvedPosition], card: Mapping[str, Any]
) -> None:
    """Write positions to a compressed file: a line of JSON for each, after one about the file.

    The same positions give the same file, byte by byte.

    Args:
        path: the file; its name should end in ``.jsonl.gz``.
        positions: the positions.
        card: what else the first line says, by key; of JSON's types.

    Raises:
        FileError: if the file cannot be written.
    """
    rows: list[Any] = [{"kind": KIND, "version": _VERSION, **card}]
    rows += [
        {"position": solved.position, "outcome": solved.outcome, "turns": solved.turns}
        for solved in positions
    ]
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    write_file(path, gzip.compress(text.encode("utf-8"), mtime=0))


def read_solved_positions(
    path: str | os.PathLike[str],
) -> tuple[dict[str, Any], list[SolvedPosition]]:
    """Read a file that `write_solved_positions` wrote.

    Args:
        path: the file.

    Returns:
        The first line without its kind and version, and the positions.

    Raises:
        FileError: if it cannot be read, or is no such file.
    """
    try:
        first, *lines = gzip.decompress(read_file(path)).splitlines()
        card = dict(parsed_json(first))
        if card.pop("kind", None) != KIND:
            raise FileError(path, f"it is not a file of the kind {KIND!r}")
        check_version(path, KIND, card.pop("version", None), _VERSION)
        found = [_solved(parsed_json(line)) for line in lines]
    except FileError:
        raise
    except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error) as error:
        raise FileError(path, f"it holds no solved positions: {repr_of(str(error))}") from None
    return card, found


def _solved(row: Any) -> SolvedPosition:
    return SolvedPosition(str(row["position"]), int(row["outcome"]), tuple(map(int, row["turns"])))


def checked_split(split: object) -> str:
    """Check the name of a split.

    Raises:
        ConfigError: if it is neither ``"training"`` nor ``"test"``.
    """
    return checked_choice("split", split, SPLITS)
