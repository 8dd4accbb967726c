"""What the solved endgames are like, and what it is worth to know them.

    python benchmarks/endgames.py FOLDER
    TKM_TABLES=tables python benchmarks/endgames.py FOLDER

It measures the table of endgames that the process uses: the one that comes with the package, or
that in the folder ``TKM_TABLES``. It counts the positions of the table by the turns that they take,
lets alpha-beta play won ones against the longest defence with the table and without, and lets
players that have the table play whole games against the same players without it. FOLDER keeps the
games, so that an interrupted run resumes. ``docs/endgames.json`` holds the figures of both tables,
and ``docs/pictures/endgames.svg`` shows the counts, which needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep
from benchmarks.levels import figure_of
from tkm_env import Game
from tkm_env.arena.match import Match, standings
from tkm_env.players.tkm.endgame_positions import moved_copies, position_of
from tkm_env.players.tkm.search.alphabeta import Searcher
from tkm_env.players.tkm.search.endgames import (
    FEWEST_COPIES,
    FOCI,
    MOST_COPIES,
    ON_BOARDS,
    Endgames,
    endgames,
    known_outcome,
    no_endgames,
    shipped_endgames,
)
from tkm_env.players.tkm.search.evaluation import new_evaluator
from tkm_env.players.tkm.search.repetition import history_keys

FIGURES = ROOT / "docs" / "endgames.json"
PICTURE = ROOT / "docs" / "pictures" / "endgames.svg"
BANDS = ((1, 8), (9, 14), (15, 28), (29, 60), (61, 100))
#: The positions that are played out in each band, and how deep alpha-beta looks in them.
POSITIONS, DEPTH, SEED = 60, 4, 1
#: The players of whole games, with and without the table; and the games from each kind of start.
PLAYERS = ("net", "alphabeta:depth=3")
GAMES = 400
#: The random turns with which games begin; None for the shipped openings.
STARTS = {"two random turns": 2, "openings": None}


def counts(table: Endgames) -> dict[str, int]:
    """Count the positions of a table up to symmetry, by the number of turns; 0 if nobody wins."""
    numbering = table.numbering
    values = table.values.reshape(len(numbering.images), len(numbering.sides), FOCI)
    found = np.zeros(256, np.int64)
    for mine, entries in zip(numbering.images, values, strict=True):
        # A position has several entries where the mover's copies are their own image.
        least = numbering.sides
        for there in numbering.spaces:
            if moved_copies(np.array([mine]), there)[0] == mine:
                least = np.minimum(least, moved_copies(numbering.sides, there))
        own = (least == numbering.sides) & (mine & numbering.sides & ON_BOARDS == 0)
        found += np.bincount(entries[own].ravel(), minlength=len(found))
    return {str(turns): int(count) for turns, count in enumerate(found) if count}


def wins(game: Game, searcher: Searcher, depth: int) -> bool:
    """Whether white wins by this search before the turn limit."""
    while game.result is None:
        if game.to_act == "white":
            turn = searcher.search(game.state, depth=depth, history=history_keys(game)).turn
        else:
            left = {turn.actions: known_outcome(turn.after.state) or 0 for turn in game.turns()}
            # White to act loses or draws where that is even.
            turn = max(left, key=lambda actions: left[actions] if left[actions] % 2 else 1000)
        for action in turn:
            game.play(action)
    return game.result == "1-0"


def drawn(values: NDArray[np.uint8], generator: np.random.Generator) -> Iterator[Any]:
    """Won positions of each band that has some: the first and the last turn, and the games."""
    for shortest, longest in BANDS:
        numbers = np.flatnonzero((values % 2 == 1) & (values >= shortest) & (values <= longest))
        if len(numbers):
            chosen = generator.choice(numbers, POSITIONS, replace=False).tolist()
            games = [position_of(endgames().numbering, number) for number in chosen]
            yield shortest, int(values[numbers].max()), [game for game in games if game]


def missed(progress: Progress) -> list[dict[str, int]]:
    """How many won positions alpha-beta wins without the table, and with it, in each band."""
    known, rows = new_evaluator(), []
    for shortest, longest, games in drawn(known.endgames.values, np.random.default_rng(SEED)):
        row = {"from": shortest, "to": longest, "positions": len(games)}
        for name, evaluator in (
            ("without", known._replace(endgames=no_endgames())),
            ("with", known),
        ):
            doing = f"wins in {shortest} to {longest} turns, {name}"
            row[name] = sum(
                wins(game.copy(), Searcher(evaluator=evaluator), DEPTH)
                for game in progress.track(games, description=doing)
            )
        rows.append(row)
    return rows


def matches(folder: Path, games: int, progress: Progress) -> list[dict[str, Any]]:
    """The scores of players with the table against themselves without it."""
    rows = []
    for player in PLAYERS:
        without = f"{player}{',' if ':' in player else ':'}endgames=False"
        for start, opening_turns in STARTS.items():
            played = Match(player, without, games, seed=SEED, opening_turns=opening_turns)
            file = folder / f"{player}-{start}.jsonl".replace(":", "-").replace(" ", "-")
            records = [
                *progress.track(
                    played.play(file, resume=True), total=games, description=f"{player}, {start}"
                )
            ]
            result = figure_of(standings(records, played)[0].pairs)
            rows.append({"player": player, "start": start, **result})
    return rows


def draw(figures: dict[str, Any], picture: Path) -> None:
    """Draw how many positions take how many turns."""
    from matplotlib import pyplot

    pyplot.style.use(ROOT / "docs" / "plots.mplstyle")
    drawing, axes = pyplot.subplots(figsize=(7, 3.5))
    colours = iter(pyplot.rcParams["axes.prop_cycle"].by_key()["color"])
    for copies, found in sorted(figures.items()):
        colour = next(colours)
        for name, odd, marker in (("won", 1, "o"), ("lost", 0, "x")):
            turns = [int(turns) for turns in found["counts"] if int(turns) % 2 == odd]
            turns = [each for each in turns if each]
            many = [found["counts"][str(each)] for each in turns]
            title = f"{copies} copies, {name}"
            axes.plot(
                turns, many, color=colour, marker=marker, markersize=3, linewidth=0.8, label=title
            )
    axes.set(xlabel="turns until the game is decided, of both sides", ylabel="positions")
    axes.set(yscale="log", xlim=(0, None))
    axes.grid()
    axes.legend(frameon=False)
    drawing.savefig(picture, metadata={"Date": None}, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=GAMES, help=f"(default: {GAMES})")
    given = parser.parse_args()
    copies = str(FEWEST_COPIES if endgames() is shipped_endgames() else MOST_COPIES)
    folder = given.folder / copies
    folder.mkdir(parents=True, exist_ok=True)
    begun(given.folder, "solved endgames", copies)
    with Progress(disable=not sys.stderr.isatty()) as progress:
        figure = {
            "counts": counts(endgames()),
            "missed": missed(progress),
            "matches": matches(folder, given.games, progress),
        }
    figures = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    figures[copies] = figure
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    draw(figures, PICTURE)
    keep(given.folder, "solved endgames")
    print(f"wrote {FIGURES} and {PICTURE}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
