"""How soon a method's player beats ``greedy``, from nothing.

    python benchmarks/learning_speed.py METHOD FOLDER --seeds 1-3

In each set of chapters, a method learns for one CPU minute; if its player has not scored 95% by
then, it learns anew for three minutes, and then for ten. The checkpoints play games against
``greedy``, until one scores 95%. What was trained and played is kept in FOLDER, so an interrupted
run resumes where it stopped; an interrupted training starts over. ``docs/learning_speed.json``
holds the figures, a row for each method and set. Afterwards, ``python docs/generate.py`` writes the
table of ``docs/learning.md``.

With ``--games``, for a quick look, it prints the figures and publishes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from rich.progress import Progress

from tkm_env.evaluation import evaluate
from tkm_env.foundations.files import write_file

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep
from benchmarks.from_nothing import METHODS, checkpoint, trained
from benchmarks.levels import SETS

FIGURES = ROOT / "docs" / "learning_speed.json"
GAMES: Final = 400
OPPONENT: Final = "greedy"
#: The share of points at which a method has learned enough.
ENOUGH: Final = 0.95
#: The CPU minutes of a method's trainings, and those after which one also writes a checkpoint.
BUDGETS: Final = (1.0, 3.0, 10.0)
CHECKPOINTS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
#: The methods, and the players that each trains: what is added to the line of its player.
PLAYERS: Final[Mapping[str, Mapping[str, str]]] = {
    "value": {"net": "", "net:replies=3": ",replies=3"},
    "turn-ppo": {"TurnPolicy": ""},
}


class Point(NamedTuple):
    """The score of a checkpoint.

    Attributes:
        budget: the CPU seconds of its training.
        seconds: those after which it was saved.
        score: the share of points against `OPPONENT`, with its 95% interval.
    """

    budget: int
    seconds: int
    score: tuple[float, float, float]

    @property
    def is_enough(self) -> bool:
        """Whether the method has learned enough."""
        return self.score[0] >= ENOUGH


#: Curves by the seed of the trainings and by the player.
Found = dict[str, dict[str, list[Point]]]


class Learner:
    """A method that learns to play with some chapters.

    Args:
        method: its name.
        place: the set of chapters.
        seed: the seed of its trainings.
        folder: where these, and the scores of its players, are kept.
        games: the number of games against `OPPONENT`.
    """

    def __init__(self, method: str, place: str, seed: int, folder: Path, games: int) -> None:
        self.name = f"{method} {place}, seed {seed}"
        program = METHODS[method]
        self._program = program._replace(options=(*program.options, "--chapters", place))
        self._place, self._seed, self._games = place, seed, games
        self._file = folder.resolve() / f"{method}-{place}-seed{seed}.npz"
        self._scores = self._file.with_suffix(f".scores-{games}.json")

    def curve(self, added: str, budgets: Sequence[float], progress: Progress) -> list[Point]:
        """The scores of the checkpoints of one training after another, until one is enough.

        Args:
            added: what is added to the line of the player.
            budgets: the CPU minutes of the trainings.
            progress: shows what is done.

        Returns:
            The points.
        """
        points: list[Point] = []
        for budget in budgets:
            for point in self._points(added, budget, progress):
                points.append(point)
                if point.is_enough:
                    return points
        return points

    def _points(self, added: str, budget: float, progress: Progress) -> Iterator[Point]:
        """The checkpoints of a training, which is made unless it was before."""
        on_the_way = [minutes for minutes in CHECKPOINTS if minutes < budget]
        file = self._file.with_stem(f"{self._file.stem}-of-{budget:g}")
        bar = progress.add_task(f"{self.name}: {budget:g} CPU minutes", total=None)
        trained(self._program, file, self._seed, budget, on_the_way)
        progress.remove_task(bar)
        for minutes in (*on_the_way, budget):
            # A program may end before its time is spent.
            saved = checkpoint(file, minutes)
            saved = saved if saved.exists() else file
            score = self._score(self._program.player.replace("FILE", str(saved)) + added)
            yield Point(round(60 * budget), round(60 * minutes), score)

    def _score(self, player: str) -> tuple[float, float, float]:
        """The score of a player; one that is known is read."""
        known = json.loads(self._scores.read_text("utf-8")) if self._scores.exists() else {}
        if player not in known:
            played = evaluate(
                player,
                OPPONENT,
                games=self._games,
                seed=1,
                chapters="standard" if self._place == "standard" else self._place.split("+"),
            )
            known[player] = [round(each, 4) for each in played.score]
            write_file(self._scores, f"{json.dumps(known, indent=1)}\n".encode())
        share, low, high = known[player]
        return share, low, high


def measured(
    method: str,
    place: str,
    seeds: Iterable[int],
    folder: Path,
    budgets: Sequence[float],
    games: int,
    progress: Progress,
) -> Found:
    """The figures of a method in a set of chapters; what was measured before is read.

    Args:
        method: its name.
        place: the set.
        seeds: the seeds of its trainings.
        folder: where they are kept.
        budgets: their CPU minutes.
        games: the number of games of each checkpoint.
        progress: shows what is done.

    Returns:
        The curve of each player of the method, by seed.
    """
    begun(folder, "learning speed", f"{method} {place}")
    found: Found = {}
    for seed in seeds:
        learner = Learner(method, place, seed, folder, games)
        found[str(seed)] = {
            player: learner.curve(added, budgets, progress)
            for player, added in PLAYERS[method].items()
        }
    return found


def shown(row: str, found: Found) -> str:
    """The figures of a row in lines: a curve for each seed and player."""
    lines = [row]
    for seed, curves in found.items():
        for player, points in curves.items():
            scores = ", ".join(f"{point.seconds} s: {point.score[0]:.1%}" for point in points)
            lines.append(f"  {player}, seed {seed}: {scores}")
    return "\n".join(lines)


def publish(folder: Path, row: str, found: Found) -> None:
    """Write a row to the figures; the others stay as they are."""
    figures = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    figures[row] = {
        seed: {player: [point._asdict() for point in points] for player, points in curves.items()}
        for seed, curves in found.items()
    }
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(folder, "learning speed")


def arguments() -> argparse.Namespace:
    """What the command was given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("method", choices=PLAYERS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", default="1", help="the first and the last (default: 1)")
    parser.add_argument("--only", nargs="+", choices=SETS, default=[*SETS], help="these sets")
    parser.add_argument(
        "--budgets",
        type=float,
        nargs="+",
        default=BUDGETS,
        help="the CPU minutes of one training after another (default: 1 3 10)",
    )
    parser.add_argument("--games", type=int, default=GAMES, help="games of each checkpoint")
    return parser.parse_args()


def main() -> None:
    """Run the command."""
    given = arguments()
    given.folder.mkdir(parents=True, exist_ok=True)
    first, _, last = given.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    with Progress(disable=not sys.stderr.isatty()) as progress:
        for place in progress.track(given.only, description="sets of chapters"):
            row = f"{given.method} {place}"
            found = measured(
                given.method, place, seeds, given.folder, given.budgets, given.games, progress
            )
            progress.console.print(shown(row, found))
            if given.games == GAMES:
                publish(given.folder, row, found)
    if given.games == GAMES:
        print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
