"""Measures what `docs/learning.md` shows: ``python benchmarks/learning.py FOLDER``, then ``python docs/generate.py``.

Trainings from nothing, rated as they go: of the standard game with three seeds, of Growth, of games of all kinds; then matches of the
networks that come with the package. Every training and every match is kept in the folder, so that an interrupted run goes on where it
stopped. ``docs/learning.json`` holds the figures, ``docs/pictures/learning.svg`` the curves of the standard game, which need matplotlib.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.progress import Progress

from tkm_env.arena.match import Match, standings
from tkm_env.arena.workers import local_workers
from tkm_env.games.registry import TKM
from tkm_env.learn.value_training import TrainingPlan, ValueTraining

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.speed.rules import ROOT, digest_in

DOCS = Path(__file__).parents[1] / "docs"
EVERYTHING = "growth+influence+memory"
#: Each training: its name, its settings or None for games of all kinds, its seed, and the chapters of the matches at its end.
TRAININGS: tuple[tuple[str, dict[str, Any] | None, int, str], ...] = (
    *((f"seed {seed}", {}, seed, "standard") for seed in (1, 2, 3)),
    ("growth", {"chapters": "growth"}, 1, "growth"),
    ("all kinds", None, 1, EVERYTHING),
)
ANCHORS = ("random", "greedy", "mcts:iterations=200", "alphabeta:depth=2,net=None")
KINDS = ("standard", "growth", "influence", "memory", EVERYTHING)
#: What a trained network is measured at, beside one turn: `FILE` stands for its file.
TRAINED = ("net:file=FILE", "alphabeta:depth=2,net=FILE")


def curve(
    folder: Path, name: str, settings: dict[str, Any] | None, seed: int, given: argparse.Namespace, progress: Progress
) -> dict[str, Any]:
    """A training from nothing."""
    training = ValueTraining(
        folder / f"{name}.npz",
        settings=settings,
        plan=TrainingPlan(seed=seed),
        anchors=ANCHORS,
        evaluations=given.ratings,
        rating_games=given.rating_games,
        num_threads=given.threads,
    )
    task = progress.add_task(name, total=training.plan.rounds, completed=training.rounds_done)
    for _ in training.run():
        progress.advance(task)
    progress.remove_task(task)
    return {"curve": training.curve, "games": training.plan.games}


def match(folder: Path, first: str, second: str, chapters: str, games: int, processes: int, progress: Progress) -> dict[str, Any]:
    """A match between two players."""
    config = TKM.config_from_text({"chapters": chapters})
    played = Match(first, second, games, config, seed=1, opening_turns=2)
    name = f"{first} {second} {chapters}".replace("/", "-").replace(":", "-")
    task = progress.add_task(f"{first} against {second}, {chapters}", total=games)
    records = []
    for record in played.play(folder / f"{name}.jsonl", resume=True, workers=local_workers(played.conditions, processes, games)):
        records.append(record)
        progress.advance(task)
    progress.remove_task(task)
    row = standings(records, played)[0]
    counts = [sum(column) for column in zip(*row.by_side.values(), strict=True)]
    return {"games": games, "counts": counts, "score": list(row.score), "turns": row.turns, "milliseconds": 1000 * row.seconds}


def measured(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """All figures; those that were measured before are read from the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "figures.json"
    figures: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def figure(name: str, measure: Callable[[], dict[str, Any]]) -> None:
        if name not in figures:
            figures[name] = measure() | {"rules": digest_in(ROOT)}
            path.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
            print(name, flush=True)

    with Progress(disable=not sys.stderr.isatty()) as progress:

        def play(name: str, first: str, second: str, chapters: str) -> None:
            figure(
                f"match {name} against {second}, {chapters}",
                lambda: match(folder, first, second, chapters, given.games, 2, progress),
            )

        for name, settings, seed, chapters in TRAININGS:
            learn = (folder, name, settings, seed, given, progress)
            figure(f"curve {name}", lambda learn=learn: curve(*learn))
            for player in TRAINED:
                play(player.replace("FILE", name), player.replace("FILE", str(folder / f"{name}.npz")), "greedy", chapters)
        for chapters in KINDS:
            for opponent in ("greedy", "mcts:iterations=200"):
                play("net", "net", opponent, chapters)
            line = f"alphabeta:seconds={given.seconds:g}"
            play(line, line, f"{line},net=None", chapters)
            if chapters == "standard":
                gumbel = f"gumbel:seconds={given.seconds:g}"
                play(gumbel, gumbel, line, chapters)
    return figures


def draw(figures: dict[str, Any], path: Path) -> None:
    """The curves of the standard game: score against each anchor over processor time, a line for each seed, with its interval."""
    from matplotlib import pyplot

    pyplot.style.use(DOCS / "plots.mplstyle")
    drawing, axes = pyplot.subplots(figsize=(7, 4))
    for number, anchor in enumerate(ANCHORS):
        for training in (name for name, settings, *_ in TRAININGS if settings == {}):
            rows = figures[f"curve {training}"]["curve"]
            minutes = [row["seconds"] / 60 for row in rows]
            ratings = [next(rating for rating in row["ratings"] if rating["opponent"] == anchor) for row in rows]
            label = anchor if training == TRAININGS[0][0] else None
            axes.plot(minutes, [rating["score"] for rating in ratings], color=f"C{number}", marker=".", label=label)
            low, high = ([rating[end] for rating in ratings] for end in ("low", "high"))
            axes.fill_between(minutes, low, high, color=f"C{number}", alpha=0.12, linewidth=0)
    axes.set(xlabel="processor time of the training, minutes", ylabel="score of one turn ahead", ylim=(0, 1.02), xlim=(0, None))
    axes.grid()
    axes.legend(title="against", loc="lower right")
    drawing.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ratings", type=int, default=4, help="how often a training is rated (default: 4)")
    parser.add_argument("--rating-games", type=int, default=100, help="games of a rating (default: 100)")
    parser.add_argument("--games", type=int, default=400, help="games of a match (default: 400)")
    parser.add_argument("--seconds", type=float, default=0.02, help="that searches have for a turn (default: 0.02)")
    parser.add_argument("--threads", type=int, default=2, help="cores that a training uses (default: 2)")
    given = parser.parse_args()
    figures = measured(given.folder, given)
    (DOCS / "learning.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    draw(figures, DOCS / "pictures" / "learning.svg")
    print("wrote docs/learning.json and docs/pictures/learning.svg; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
