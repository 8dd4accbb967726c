"""A limit of CPU time, with checkpoints, for the programs that learn.

It lets you compare them on the same budget, of time and of games.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path


@dataclasses.dataclass
class Played:
    """What a program has played so far, to learn from.

    Attributes:
        games: how many games have ended.
        actions: how many actions the learner has taken, in all games. Where it plays both sides,
            those of both count; an opponent's do not, nor do those that a search tries.
    """

    games: int = 0
    actions: int = 0

    def add(self, games: int, actions: int) -> None:
        """Count games that have ended, and actions."""
        self.games += games
        self.actions += actions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a budget to a program."""
    parser.add_argument(
        "--cpu-minutes",
        type=float,
        help="learn for this long, without evaluations, however many rounds that takes",
    )
    parser.add_argument("--save", type=Path, help="write the player to this file at the end")
    parser.add_argument(
        "--checkpoint-minutes",
        default="",
        help="also write the player after so much CPU time: 2,5 writes FILE-2.npz and FILE-5.npz",
    )


def rounds(
    args: argparse.Namespace, most: int, save: Callable[[Path], object], played: Played
) -> Iterator[tuple[int, float]]:
    """Number the rounds of learning from 1, and write the checkpoints in between.

    Beside each player's file, FILE.npz, is FILE.played.json with what had been played by then.

    Args:
        args: the options of `add_arguments`.
        most: how many rounds there are without a limit of CPU minutes.
        save: writes the player to a file.
        played: the program's count of what it plays.

    Yields:
        Each number with the share of the training that is done, from 0.
    """

    def write(file: Path) -> None:
        save(file)
        file.with_suffix(".played.json").write_text(json.dumps(dataclasses.asdict(played)), "utf-8")

    checkpoints = sorted(
        float(minutes) for minutes in args.checkpoint_minutes.split(",") if minutes
    )
    number = 0
    while True:
        used = time.process_time() / 60
        while checkpoints and used >= checkpoints[0]:
            write(args.save.with_stem(f"{args.save.stem}-{checkpoints.pop(0):g}"))
        done = used / args.cpu_minutes if args.cpu_minutes else number / most
        if done >= 1:
            break
        number += 1
        yield number, done
    if args.save:
        write(args.save)
