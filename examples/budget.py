"""A limit of CPU time for the examples that learn, with files on the way, so that they can be compared from the same budget."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a program the options of a budget."""
    parser.add_argument(
        "--cpu-minutes",
        type=float,
        help="learn for so long, without evaluations, however much that is",
    )
    parser.add_argument("--save", type=Path, help="write the player to this file at the end")
    parser.add_argument(
        "--checkpoint-minutes",
        default="",
        help="write it then as well: 2,5 writes FILE-2.npz and FILE-5.npz",
    )


def rounds(
    args: argparse.Namespace, most: int, save: Callable[[Path], object]
) -> Iterator[tuple[int, float]]:
    """Number the rounds of learning from 1, up to ``most`` or until the CPU minutes are spent.

    Yields each number with the share of the training that is done, from 0, and writes the files in between.
    """
    checkpoints = sorted(
        float(minutes) for minutes in args.checkpoint_minutes.split(",") if minutes
    )
    number = 0
    while True:
        used = time.process_time() / 60
        while checkpoints and used >= checkpoints[0]:
            save(args.save.with_stem(f"{args.save.stem}-{checkpoints.pop(0):g}"))
        done = used / args.cpu_minutes if args.cpu_minutes else number / most
        if done >= 1:
            break
        number += 1
        yield number, done
    if args.save:
        save(args.save)
