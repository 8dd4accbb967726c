"""Train the networks that come with the package: ``python benchmarks/learning.py FOLDER``.

It also measures what ``docs/networks.md`` shows. Each network is trained by a command, which its
card holds, and rated along the way; then it plays matches. Every training and every match is kept
in the folder, so an interrupted run resumes where it stopped. ``docs/learning.json`` holds the
figures, and ``docs/pictures/learning.svg`` the curves, which need matplotlib. Afterwards run
``python docs/generate.py``. The networks stay in the folder; ``--ship`` also copies those into the
package whose weights it does not have.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from tkm_env.arena.match import Match, standings
from tkm_env.games.registry import TKM
from tkm_env.players.model_file import read_model

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep
from benchmarks.ladder import SETTINGS

DOCS = ROOT / "docs"
NETWORKS = ROOT / "tkm_env" / "players" / "tkm" / "networks"
ALL_CHAPTERS = "growth+influence+memory"
#: The options of the training for games with powers, and the settings of the network's matches.
POWERS: tuple[str, dict[str, str]] = (
    "--all-kinds --timeline draft_powers --complexity-factor 2 --games 1200000 --passes 6",
    {"chapters": ALL_CHAPTERS, "timeline": "draft_powers"},
)
#: Those of each training. The inputs by which ``chapters`` has learned are those of its time.
TRAININGS: dict[str, tuple[str, dict[str, str]]] = {
    "standard": ("--games 300000 --passes 5", {"chapters": "standard"}),
    "growth": ("--chapters growth --games 300000 --passes 7", {"chapters": "growth"}),
    "influence": ("--chapters influence --games 300000", {"chapters": "influence"}),
    "memory": ("--chapters memory --games 300000 --passes 5", {"chapters": "memory"}),
    "powers": POWERS,
    "chapters": (
        "--all-kinds --inputs turns-2 --games 600000 --passes 6",
        {"chapters": ALL_CHAPTERS},
    ),
}
#: Two searches that meet under all settings: the second looks a turn further, without a network.
SHALLOW, DEEP = "alphabeta:depth=3", "alphabeta:depth=4,net=None"
#: Two players that meet under all settings in so many games that intervals are narrow.
REPLIES, GREEDY, MANY = "net:replies=64", "greedy", 2_000
RATED = (
    "--ratings 6 --rating-games 200 --against greedy --against alphabeta:depth=2,net=None "
    "--threads 1"
)


def command_of(name: str) -> str:
    """The command that trains a network."""
    return f"tkm train {name}.npz {TRAININGS[name][0]} {RATED} --json {name}.json"


def games_with(settings: Mapping[str, str]) -> str:
    """The name of the games with some settings."""
    return settings["chapters"] + (" with drafted powers" if "timeline" in settings else "")


def curve(folder: Path, name: str) -> dict[str, Any]:
    """The ratings of a network in training."""
    path = folder / f"{name}.json"
    if not path.exists():
        arguments = command_of(name).split()[1:]
        program = "import sys; from tkm_env.cli import main; sys.argv[0] = 'tkm'; main()"
        subprocess.run([sys.executable, "-c", program, *arguments], cwd=folder, check=True)
    return {"curve": json.loads(path.read_text("utf-8"))["curve"]}


def network_for(place: str) -> str:
    """The name of the network that plays under the settings of this name."""
    return place if place in TRAININGS else "chapters"


def match(
    folder: Path,
    first: str,
    second: str,
    settings: Mapping[str, str],
    games: int,
    progress: Progress,
) -> dict[str, Any]:
    """A match between two players."""
    played = Match(first, second, games, TKM.config_from_text(settings), seed=1)
    where = games_with(settings)
    name = f"{first} {second} {where}".replace("/", "-").replace(":", "-")
    task = progress.add_task(f"{first} against {second}, {where}", total=games)
    records = []
    for record in played.play(folder / f"{name}.jsonl", resume=True):
        records.append(record)
        progress.advance(task)
    progress.remove_task(task)
    row = standings(records, played)[0]
    counts = [sum(column) for column in zip(*row.by_side.values(), strict=True)]
    return {"games": row.games, "counts": counts, "score": list(row.score), "turns": row.turns}


def measured(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """All figures; those that were measured before are read from the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "figures.json"
    figures: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def figure(name: str, measure: Callable[[], dict[str, Any]]) -> None:
        if name not in figures:
            begun(folder, "networks")
            begun(folder, "learning", name)
            figures[name] = measure()
            path.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
            print(name, flush=True)

    search = f"alphabeta:nodes={given.nodes}"
    with Progress(disable=not sys.stderr.isatty()) as progress:
        for name, (_, settings) in TRAININGS.items():
            figure(f"curve {name}", lambda name=name: curve(folder, name))
            net, searching = f"net:file={folder / name}.npz", f"{search},net={folder / name}.npz"
            for shown, first, second in (
                ("net", net, "greedy"),
                ("net", net, "alphabeta:depth=2,net=None"),
                (search, searching, f"{search},net=None"),
            ):
                play = (folder, first, second, settings, given.games, progress)
                figure(
                    f"match {games_with(settings)}: {shown} against {second}",
                    lambda play=play: match(*play),
                )
        for place, settings in SETTINGS.items():
            network = f"{folder / network_for(place)}.npz"
            for kind, first, second, games in (
                ("depths", f"{SHALLOW},net={network}", DEEP, given.games // 2),
                ("replies", f"{REPLIES},file={network}", GREEDY, given.many_games),
            ):
                play = (folder, first, second, settings, games, progress)
                figure(f"{kind} {place}", lambda play=play: match(*play))
    return figures


def ship(trained: Path) -> None:
    """Copy a network into the package, unless the one that is there has the same weights.

    Its card then stays that of the training whose weights they are.
    """
    shipped = NETWORKS / trained.name
    if shipped.exists():
        old, new = (read_model(path).arrays for path in (shipped, trained))
        if old.keys() == new.keys() and all(np.array_equal(old[name], new[name]) for name in new):
            return
    shutil.copy(trained, shipped)


def draw(figures: dict[str, Any], path: Path) -> None:
    """Draw score over CPU time against each player, a line with its interval for each network."""
    from matplotlib import pyplot

    pyplot.style.use(DOCS / "plots.mplstyle")
    opponents = [rating["opponent"] for rating in figures["curve standard"]["curve"][0]["ratings"]]
    drawing, panels = pyplot.subplots(1, len(opponents), figsize=(9, 4), sharey=True)
    for number, (axes, opponent) in enumerate(zip(panels, opponents, strict=True)):
        for name in TRAININGS:
            rows = figures[f"curve {name}"]["curve"]
            minutes = [row["seconds"] / 60 for row in rows]
            ratings = [row["ratings"][number] for row in rows]
            (line,) = axes.plot(
                minutes, [rating["score"] for rating in ratings], marker=".", label=name
            )
            low, high = ([rating[end] for rating in ratings] for end in ("low", "high"))
            axes.fill_between(minutes, low, high, color=line.get_color(), alpha=0.12, linewidth=0)
        axes.set(
            title=f"against {opponent}",
            xlabel="processor time of the training, minutes",
            ylim=(0.5, 1.02),
            xlim=(0, None),
        )
        axes.grid()
    panels[0].set(ylabel="score of one turn ahead")
    panels[-1].legend(loc="lower right")
    drawing.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=400, help="games of a match (default: 400)")
    parser.add_argument(
        "--many-games",
        type=int,
        default=MANY,
        help=f"games of {REPLIES} against {GREEDY} (default: {MANY:,})",
    )
    parser.add_argument(
        "--nodes", type=int, default=500, help="that searches have for a turn (default: 500)"
    )
    parser.add_argument(
        "--ship", action="store_true", help="copy the networks with new weights into the package"
    )
    given = parser.parse_args()
    figures = measured(given.folder, given)
    (DOCS / "learning.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(given.folder, "learning")
    if given.ship:
        for name in TRAININGS:
            ship(given.folder / f"{name}.npz")
        keep(given.folder, "networks")
    draw(figures, DOCS / "pictures" / "learning.svg")
    print(
        "wrote docs/learning.json and docs/pictures/learning.svg; now run: python docs/generate.py"
    )


if __name__ == "__main__":
    main()
