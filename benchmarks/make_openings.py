"""Make the openings of the game: ``python benchmarks/make_openings.py --seed 1``.

An opening is the position after two or four random turns, the same in both editions. It is kept if
no symmetry makes it one of the earlier ones, if alpha-beta considers it level, and if white scores
about one half in self-play in both editions. There, alpha-beta chooses among its best few turns,
so that games differ. The same seed and players make the same files, each of which depends on no
other. `benchmarks/openings.py` measures how level they are.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.progress import Progress

from tkm_env import Game
from tkm_env.games.tkm import openings
from tkm_env.games.tkm.engine.state import CHAPTERS, EDITIONS
from tkm_env.games.tkm.symmetries import canonical
from tkm_env.players import RandomAgent
from tkm_env.players.tkm.search.alphabeta import Searcher

FOLDER = Path(openings.__file__).parent
SETS = [
    names for size in range(len(CHAPTERS) + 1) for names in itertools.combinations(CHAPTERS, size)
]

#: How many random turns precede an opening: even numbers, so that white is to move.
TURNS = (2, 4)
#: How deep alpha-beta judges an opening: an even depth, so that both sides have had as many turns.
#: Scores are hundredths of a logit.
JUDGED_AT = 4
LEVEL = 20
#: Self-play chooses among this many turns. A turn whose score is worse by ``TEMPERATURE`` is
#: chosen e times less often.
CHOICES = 3
TEMPERATURE = 20
#: How deep self-play searches.
DEPTH = 2
#: How far from one half white's share may be.
TOLERANCE = 0.125
#: Games of self-play that go on for longer count as drawn.
MAX_TURNS = 100


def candidate(chapters: tuple[str, ...], generator: np.random.Generator) -> list[Game] | None:
    """A random position as a game of each edition.

    Args:
        chapters: the chapters of the game.
        generator: draws the turns.

    Returns:
        The games; None if they differ, or if white has no copy to choose.
    """
    games = [Game(chapters=chapters, edition=edition, max_turns=MAX_TURNS) for edition in EDITIONS]
    player, turns = RandomAgent(seed=generator), int(generator.choice(TURNS))
    while games[0].turn <= turns and games[0].result is None:
        action = player.act(games[0])
        if not all(game.action_mask()[action] for game in games):
            return None
        for game in games:
            game.play(action)
        if len({game.position for game in games}) > 1:
            return None
    return games if all(game.step_text == "c" for game in games) else None


def likeness(game: Game) -> bytes:
    """The same for all positions that are alike, at whatever turn."""
    states = game.state
    states["turn"] = 1
    return canonical(states).tobytes()


def score_of_white(
    game: Game, depth: int, searcher: Searcher, generator: np.random.Generator
) -> float:
    """Self-play to the end: 1 if white wins, 0 if black does, else 0.5."""
    game = game.copy()
    while game.result is None:
        best = searcher.best_turns(game.state, CHOICES, depth=depth)
        scores = np.array([found.score for found in best])
        chances = np.exp((scores - scores.max()) / TEMPERATURE)
        for action in best[generator.choice(len(best), p=chances / chances.sum())].turn:
            game.play(action)
    return {"white": 1.0, "black": 0.0}.get(game.winner or "", 0.5)


def scores_of_white(
    games: list[Game], played: int, depth: int, generator: np.random.Generator
) -> list[float]:
    """The same for the given number of games, equally many from each of ``games``."""
    searcher = Searcher(table_bits=16)
    return [
        score_of_white(game, depth, searcher, generator)
        for game in games
        for _ in range(played // len(games))
    ]


def made(chapters: tuple[str, ...], played: int, generator: np.random.Generator) -> Iterator[str]:
    """Openings without end."""
    seen: set[bytes] = set()
    while True:
        games = candidate(chapters, generator)
        if games is None or (key := likeness(games[0])) in seen:
            continue
        seen.add(key)
        if any(
            abs(Searcher(table_bits=16).search(game.state, depth=JUDGED_AT).score) > LEVEL
            for game in games
        ):
            continue
        if abs(np.mean(scores_of_white(games, played, DEPTH, generator)) - 0.5) <= TOLERANCE:
            yield games[0].position


def make(chapters: tuple[str, ...], count: int, played: int, seed: int, progress: Progress) -> None:
    """Write the file for these chapters."""
    found = made(chapters, played, np.random.default_rng([seed, SETS.index(chapters)]))
    positions = list(
        progress.track(
            itertools.islice(found, count), count, description=" + ".join(chapters) or "standard"
        )
    )
    share = f"{0.5 - TOLERANCE:.1%} to {0.5 + TOLERANCE:.1%}"
    comments = (
        f"Openings of {Game.title} with {' and '.join(chapters) or 'no chapters'}, "
        "for both editions, numbered from 1.",
        f"Made by: python benchmarks/make_openings.py "
        f"--seed {seed} --count {count} --games {played}",
        f"White is to move after {' or '.join(map(str, TURNS))} random turns. "
        "No two are alike under any symmetry of the rules.",
        f"To alpha-beta of depth {JUDGED_AT} neither side is ahead by more than {LEVEL / 100:.2f}.",
        f"White scores {share} in {played} games of self-play.",
    )
    lines = [*(f"# {comment}" for comment in comments), *positions]
    (FOLDER / openings.file_name(chapters)).write_bytes(
        "".join(f"{line}\n" for line in lines).encode("ascii")
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--count", type=int, default=100, help="openings of each file (default: 100)"
    )
    parser.add_argument(
        "--games", type=int, default=24, help="of self-play from each opening (default: 24)"
    )
    given = parser.parse_args()
    with Progress(disable=not sys.stderr.isatty()) as progress:
        for chapters in SETS:
            make(chapters, given.count, given.games, given.seed, progress)


if __name__ == "__main__":
    main()
