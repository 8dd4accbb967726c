"""Measure the levels that people choose from: ``python benchmarks/levels.py FOLDER``.

Each level plays the one below it, in every set of chapters, and in Terminus; only a level that
thinks for some seconds does not, since it is as strong as the machine is fast. Every game is kept
in FOLDER as soon as it is over, so an interrupted run resumes where it stopped; the games of two
players do not change when other levels do. ``docs/levels.json`` holds the figures. Afterwards,
``python docs/generate.py`` writes the table of ``docs/play.md``.

With ``--only`` or ``--games``, for a quick look, it prints the figures and publishes
nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from rich.progress import Progress

from tkm_env.arena.match import Match, standings
from tkm_env.core.registry import GameSpec
from tkm_env.evaluation.score import PairResults
from tkm_env.foundations.files import write_file
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.players.factory import options_of
from tkm_env.players.roster import ROSTERS, Level

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep

FIGURES = ROOT / "docs" / "levels.json"
CHAPTERS = ("growth", "influence", "memory")
#: The sets of chapters by name.
SETS = {
    "+".join(chosen) or "standard": chosen
    for size in range(len(CHAPTERS) + 1)
    for chosen in combinations(CHAPTERS, size)
}
GAMES = 400


class Step(NamedTuple):
    """A level against the one below it, under some settings.

    Attributes:
        spec: the game's entry in the registry.
        settings: its settings as text.
        place: what the settings are called.
        below: the lower level.
        above: the higher one.
    """

    spec: GameSpec
    settings: dict[str, str]
    place: str
    below: Level
    above: Level

    @property
    def name(self) -> str:
        """Tells it from all others, also from those of other players at the same levels."""
        return f"{self.place}: {self.above.player} over {self.below.player}"


def steps(places: list[str]) -> Iterator[Step]:
    """The steps from each level to the next in some sets of chapters, or in Terminus."""
    for place in places:
        spec = TKM if place in SETS else TERMINUS
        settings = {"chapters": place} if place in SETS else {}
        for below, above in pairwise(ROSTERS.of(spec).levels):
            if "seconds" not in options_of(above.player)[1]:
                yield Step(spec, settings, place, below, above)


def match(folder: Path, step: Step, games: int, processes: int) -> PairResults:
    """The results of the higher level."""
    config = step.spec.config_from_text(step.settings)
    played = Match(step.above.player, step.below.player, games, config, seed=1, game=step.spec.name)
    file = folder / f"{step.name.replace(':', '-').replace(' ', '_')}.jsonl"
    records = [*played.play(file, resume=True, processes=processes)]
    return standings(records, played)[0].pairs


def figure_of(results: PairResults) -> dict[str, Any]:
    """What is published of a step: the share of points and the Elo, with their 95% intervals."""
    return {
        "games": results.games,
        "score": [round(each, 4) for each in results.score],
        "elo": [round(each, 1) for each in results.elo],
    }


def measured(folder: Path, places: list[str], games: int, processes: int) -> dict[str, Any]:
    """The figures of all steps, by name; those that were measured before are read."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"figures-{games}.json"
    known: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    wanted = [*steps(places)]
    with Progress(disable=not sys.stderr.isatty()) as progress:
        for step in progress.track(wanted, description="levels"):
            if step.name not in known:
                begun(folder, "levels", step.name)
                known[step.name] = figure_of(match(folder, step, games, processes))
                write_file(path, f"{json.dumps(known, indent=1)}\n".encode())
    return {step.name: known[step.name] for step in wanted}


def main() -> None:
    """Run the command."""
    places = [*SETS, TERMINUS.name]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=GAMES, help="games of each step")
    parser.add_argument("--only", nargs="+", choices=places, help="these sets, or terminus")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    figures = measured(given.folder, given.only or places, given.games, given.processes)
    if given.games != GAMES or given.only:
        for name, figure in figures.items():
            share, low, high = figure["score"]
            print(f"{name}: {share:.0%} ({low:.0%} to {high:.0%}) of {figure['games']} games")
        return
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(given.folder, "levels")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
