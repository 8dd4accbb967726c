"""Which turns lose games, and how often networks choose them.

    python benchmarks/losing_turns.py FOLDER

``net`` and ``net:replies=64`` each meet a search that looks three turns ahead without a network. A
turn is a losing one if it lets the opponent force a win within its next three turns, and another
turn would not have. ``tkm prove``'s search says so, not an estimate.

Then networks that learned from fewer games, and other players, choose a turn in the positions of
the games of ``net``. Games, networks and figures are kept in FOLDER, so an interrupted run resumes
where it stopped. ``docs/losing_turns.json`` holds the figures; afterwards
``python docs/generate.py`` writes them into ``docs/networks.md``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.progress import Progress

from tkm_env import Game
from tkm_env.arena.match import Match
from tkm_env.foundations.files import write_file
from tkm_env.games.registry import TKM
from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.players import Agent, make_agent
from tkm_env.players.tkm.search.proof_search import ProofSearcher

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep
from benchmarks.ladder import SETTINGS
from benchmarks.learning import TRAININGS

FIGURES = ROOT / "docs" / "losing_turns.json"
#: The players whose lost games are looked at, and their opponent.
LOSERS: Final = ("net", "net:replies=64")
OPPONENT: Final = "alphabeta:depth=3,net=None"
GAMES: Final = 400
#: The winner's own turns within which its win is proved.
WINS: Final = (1, 2, 3)
#: The sets of chapters in whose positions players choose.
PLACES: Final = ("standard", "growth", "influence", "memory")
#: How many games the networks have learned from that do not come with the package.
LEARNED: Final = (20_000, 75_000)
#: The other players that choose, with the networks that come with the package.
CHOOSERS: Final = ("net", "net:replies=64", "alphabeta:depth=2")
_TABLE_BITS: Final = 20


class PlayedTurn(NamedTuple):
    """A turn of a game.

    Attributes:
        before: the game in which it is to be played.
        after: the game after it.
    """

    before: Game
    after: Game


def turns_of(record: Mapping[str, Any], player: str) -> Iterator[PlayedTurn]:
    """The whole turns of one player in a recorded game, in order."""
    game = Game.from_record({**record, "actions": [], "seconds": [], "result": None})
    before = game.copy()
    for action in record["actions"]:
        game.play(action)
        if game.result is not None or not game.is_in_turn(before.turn_id):
            if record["players"][before.to_act] == player:
                yield PlayedTurn(before, game.copy())
            before = game.copy()


class Prover:
    """Proves that a turn loses.

    Args:
        turns: the opponent's own turns within which its win is looked for.
    """

    def __init__(self, turns: int) -> None:
        self._turns = turns
        self._searcher = ProofSearcher(2 * turns, _TABLE_BITS)

    def loses_in(self, after: Game) -> int | None:
        """In how many turns of its own the side to act can force a win; None if it cannot."""
        mover = PLAYERS.index(after.to_act)
        for own in range(1, self._turns + 1):
            if self._searcher.winning_turn(after.state, mover, 2 * own - 1) is not None:
                return own
        return None

    def is_safe(self, before: Game) -> bool:
        """Whether the side to act has a turn after which the other cannot force a win soon."""
        other = 1 - PLAYERS.index(before.to_act)
        return self._searcher.winning_turn(before.state, other, 2 * self._turns) is None

    def turns_to_win(self, turns: list[PlayedTurn]) -> int | None:
        """In how many turns the winner of a game could force the win after the last losing turn.

        Args:
            turns: the loser's, in order.

        Returns:
            That number; None if there was no losing turn, or if afterwards the winner let a win go
            that was near.
        """
        for turn in reversed(turns):
            found = self.loses_in(turn.after)
            if found is None or self.is_safe(turn.before):
                return found
        return None


def records_of(
    folder: Path, player: str, settings: Mapping[str, str], progress: Progress
) -> list[dict[str, Any]]:
    """A player's games against `OPPONENT`; those in the folder are read."""
    match = Match(player, OPPONENT, GAMES, TKM.config_from_text(settings), seed=1)
    name = f"{player} {' '.join(settings.values())}".replace(":", "-")
    task = progress.add_task(name, total=GAMES)
    records = []
    for record in match.play(folder / f"{name}.jsonl", resume=True):
        records.append(record)
        progress.advance(task)
    progress.remove_task(task)
    return records


def lost_games(records: list[dict[str, Any]], player: str, progress: Progress) -> dict[str, Any]:
    """How many games a player lost, and in how many turns after its losing turns."""
    prover = Prover(max(WINS))
    found: Counter[int | None] = Counter()
    drawn = 0
    for record in progress.track(records, description=f"lost games of {player}"):
        game = Game.from_record(record)
        if game.winner is None:
            drawn += 1
        elif record["players"][game.winner] != player:
            found[prover.turns_to_win([*turns_of(record, player)])] += 1
    return {
        "games": len(records),
        "drawn": drawn,
        "lost": found.total(),
        "by": [found[turns] for turns in WINS],
    }


def play_turn(agent: Agent, game: Game) -> Game:
    """The game after an agent's turn."""
    after = game.copy()
    while after.result is None and after.is_in_turn(game.turn_id):
        after.play(agent.act(after))
    return after


def losing_choices(player: str, games: list[Game], progress: Progress) -> dict[str, Any]:
    """How often a player chooses a losing turn.

    Args:
        player: the line of the player.
        games: the positions; each has a turn that does not lose.
        progress: shows what is done.
    """
    prover = Prover(max(WINS))
    agent = make_agent(player)
    agent.reset(1)
    found: Counter[int | None] = Counter()
    for game in progress.track(games, description=f"turns of {player}"):
        after = play_turn(agent, game)
        found[None if after.result is not None else prover.loses_in(after)] += 1
    return {"positions": len(games), "by": [found[turns] for turns in WINS]}


def safe_positions(records: list[dict[str, Any]], player: str, progress: Progress) -> list[Game]:
    """The positions of a player's games that have a turn that does not lose."""
    prover = Prover(max(WINS))
    return [
        turn.before
        for record in progress.track(records, description="positions")
        for turn in turns_of(record, player)
        if prover.is_safe(turn.before)
    ]


def line_of(folder: Path, place: str, games: int) -> str:
    """The line of ``net`` with a network that learned from a number of games.

    Its other options are those of the package's.
    """
    file = f"{place}-{games}.npz"
    options = f"{TRAININGS[place][0]} --games {games} --ratings 1 --rating-games 2 --threads 1"
    program = "import sys; from tkm_env.cli import main; sys.argv[0] = 'tkm'; main()"
    command = [sys.executable, "-c", program, "train", file, *options.split()]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return f"net:file={folder.resolve() / file}"


def measured(folder: Path, progress: Progress) -> dict[str, Any]:
    """All figures; those that were measured before are read from the folder."""
    path = folder / "figures.json"
    figures: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def figure(name: str, measure: Callable[[], dict[str, Any]]) -> None:
        if name not in figures:
            begun(folder, "losing turns", name)
            figures[name] = measure()
            write_file(path, f"{json.dumps(figures, indent=1)}\n".encode())
            progress.console.print(name, figures[name])

    for place, settings in SETTINGS.items():
        for player in LOSERS:
            records = records_of(folder, player, settings, progress)
            figure(f"lost {place}: {player}", partial(lost_games, records, player, progress))
    for place in PLACES:
        records = records_of(folder, "net", SETTINGS[place], progress)
        positions = safe_positions(records, "net", progress)
        players = {f"net after {games:,} games": line_of(folder, place, games) for games in LEARNED}
        players |= {player: player for player in CHOOSERS}
        for name, player in players.items():
            figure(f"chosen {place}: {name}", partial(losing_choices, player, positions, progress))
    return figures


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with Progress(disable=not sys.stderr.isatty()) as progress:
        figures = measured(given.folder, progress)
    write_file(FIGURES, f"{json.dumps(figures, indent=1)}\n".encode())
    keep(given.folder, "losing turns")
    print(f"wrote {FIGURES}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
