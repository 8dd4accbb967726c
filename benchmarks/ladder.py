"""Rate the players against each other: ``python benchmarks/ladder.py FOLDER``.

In every set of chapters, and with drafted powers, every two players play from the same starts, each
start from both sides. Apart from the games, it measures what a turn of each player costs. Every
game is kept in FOLDER as soon as it is over, so an interrupted run resumes where it stopped; the
games of two players do not change when others join. ``docs/ladder.json`` holds the figures.
Afterwards, ``python docs/generate.py`` writes the tables of ``docs/agents.md``.

With ``--only`` or ``--games``, for a quick look, it prints the figures and publishes nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from rich.progress import Progress

from tkm_env.arena.benchmark.tasks import TASKS
from tkm_env.arena.game_counts import Played
from tkm_env.arena.match import Match
from tkm_env.arena.rating import fit
from tkm_env.arena.record_results import RecordedGame
from tkm_env.core.game import BaseGame
from tkm_env.evaluation.score import PairResults
from tkm_env.foundations.files import write_file
from tkm_env.games.registry import TKM
from tkm_env.players import make_agent

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep
from benchmarks.levels import SETS

FIGURES = ROOT / "docs" / "ladder.json"
#: The players that meet.
PLAYERS: Final = (
    "random",
    "greedy",
    "net",
    "net:replies=3",
    "net:replies=64",
    "alphabeta:depth=2,net=None",
    "alphabeta:depth=2",
    "mcts:iterations=200",
    "gumbel:iterations=32",
    "alphabeta:nodes=500",
)
#: The settings of the games by name.
SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    **{name: {"chapters": name} for name in SETS},
    "powers": TASKS["powers"].settings,
}
GAMES: Final = 400
ANCHOR: Final = ("greedy", 1000.0)
#: The costs of turns are measured in the middle of this many games of this player.
POSITIONS: Final = 25
GUIDE: Final = "alphabeta:depth=2"


def play(
    folder: Path, place: str, two: tuple[str, str], games: int, processes: int
) -> list[Played]:
    """Play the games of two players; those in the folder are read.

    Args:
        folder: where the games are kept.
        place: the name of the settings.
        two: the players.
        games: the number of games.
        processes: the number of games to play at a time.

    Returns:
        The results.
    """
    match = Match(*two, games, TKM.config_from_text(SETTINGS[place]), seed=1)
    name = re.sub(r"[^\w=.+]+", "-", " ".join((place, *two)))
    records = match.play(folder / f"{name}.jsonl", resume=True, processes=processes)
    return [*filter(None, (RecordedGame.of(record).played for record in records))]


def results(played: Mapping[tuple[str, str], Sequence[Played]]) -> dict[str, Any]:
    """What is published of the games under some settings.

    Args:
        played: the games of every two players.

    Returns:
        For every two, in how many pairs of games from one start the second had 0, ½, 1, 1½ and 2
        points; and the rating of each player with its 95% interval, None if nothing bounds it.
    """
    pairs = {
        f"{other} over {one}": PairResults.of(
            (game.start, game.points if game.first == other else 1 - game.points) for game in games
        ).counts
        for (one, other), games in played.items()
    }
    ratings = fit((game for games in played.values() for game in games), anchor=ANCHOR).players
    return {
        "pairs": pairs,
        "elo": {
            rating.player: [round(each, 1) for each in rating.elo] if rating.is_bounded else None
            for rating in ratings
        },
    }


def middle_positions(place: str) -> list[BaseGame]:
    """Positions at the start of a turn, from the middle of games of a quick player."""
    guide, found = make_agent(GUIDE), []
    match = Match(GUIDE, GUIDE, 2 * POSITIONS, TKM.config_from_text(SETTINGS[place]), seed=2)
    for fixture in [*match.fixtures()][::2]:
        game = fixture.begin()
        positions = [game.copy()]
        while game.result is None:
            if game.turn != positions[-1].turn:
                positions.append(game.copy())
            game.play(guide.act(game))
        found.append(positions[len(positions) // 2])
    return found


def seconds_of_turn(player: Any, position: BaseGame) -> float:
    """The CPU time that a player needs to choose all actions of a turn."""
    player.reset(0)
    game, seconds = position.copy(), 0.0
    while game.result is None and game.turn == position.turn:
        began = time.process_time()
        action = player.act(game)
        seconds += time.process_time() - began
        game.play(action)
    return seconds


def costs(place: str) -> dict[str, float]:
    """The median CPU time of a turn of each player, in milliseconds."""
    positions, found = middle_positions(place), {}
    for line in PLAYERS:
        player = make_agent(line)
        seconds_of_turn(player, positions[0])  # loads its compiled code
        taken = [seconds_of_turn(player, position) for position in positions]
        found[line] = round(1000 * statistics.median(taken), 3)
    return found


def measured(folder: Path, places: Sequence[str], games: int, processes: int) -> dict[str, Any]:
    """The figures of some settings; what was played or measured before is read."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "costs.json"
    known: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    figures: dict[str, Any] = {}
    pairings = [*combinations(PLAYERS, 2)]
    with Progress(disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("ladder", total=len(places) * len(pairings))
        for place in places:
            begun(folder, "ladder", f"games {place}")
            played = {}
            for two in pairings:
                played[two] = play(folder, place, two, games, processes)
                progress.advance(bar)
            figures[f"games {place}"] = results(played)
            if (name := f"costs {place}") not in known:
                begun(folder, "ladder", name)
                known[name] = costs(place)
                write_file(path, f"{json.dumps(known, indent=1)}\n".encode())
            figures[name] = known[name]
    return figures


def shown(figures: Mapping[str, Any], place: str) -> str:
    """The figures of some settings in lines: rating, interval and cost of each player."""
    lines = [place]
    for player, elo in figures[f"games {place}"]["elo"].items():
        rating = f"{elo[0]:.0f} ({elo[1]:.0f} to {elo[2]:.0f})" if elo else "not bounded"
        lines.append(f"  {player}: {rating}, {figures[f'costs {place}'][player]:g} ms a turn")
    return "\n".join(lines)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=GAMES, help="games of every two players")
    parser.add_argument("--only", nargs="+", choices=SETTINGS, help="these settings")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    places = given.only or [*SETTINGS]
    figures = measured(given.folder, places, given.games, given.processes)
    if given.games != GAMES or given.only:
        print("\n".join(shown(figures, place) for place in places))
        return
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(given.folder, "ladder")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
