"""Measure the game by games of strong players: ``python benchmarks/the_game.py FOLDER``.

How long are games, how much choice is there, and what are the first move, a handicap and each
power worth? Alpha-beta plays itself, once from each start. A start is two random turns; no two
games of a question have it in common, not even mirrored. Every figure is kept in FOLDER as soon as
it is known, so an interrupted run resumes where it stopped. ``docs/the_game.json`` holds the
figures, and ``docs/pictures/the_game_*.svg`` show them, which needs matplotlib; then
``python docs/generate.py`` writes ``docs/the-game.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from tkm_env import POWERS, GameConfig
from tkm_env.arena.match import Match
from tkm_env.arena.playing.schedule import ScheduledGame
from tkm_env.evaluation.score import PairResults
from tkm_env.games.tkm.engine.powers import POWER_SETS, SECOND_EFFECTS
from tkm_env.players import make_agent
from tkm_env.players.tkm.search.endgames import FOCI, ON_BOARDS, endgames

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, begun, keep

FIGURES = ROOT / "docs" / "the_game.json"
PICTURES = ROOT / "docs" / "pictures"
CHAPTERS = ("growth", "influence", "memory")
SETS = [chosen for size in range(4) for chosen in combinations(CHAPTERS, size)]
#: The value of the first move depends on the players: with odd and even depths, different sides
#: have the last word.
PLAYERS = ("alphabeta:depth=2", "alphabeta:depth=3", "gumbel:iterations=64")
#: Of the many games between powers, and with handicaps.
QUICK_PLAYER, PLAYER = PLAYERS[:2]
NAMES = tuple(power.name for power in POWERS)
#: How long games go on in which circling is measured, and after how many turns others would end
#: them.
LONG = 400
LIMITS = (60, 80, 100, 120, 150, 200, 300, LONG)
#: How often a position occurs when it ends the game.
OCCURRENCES = 3


def fixtures(config: GameConfig, starts: int, seed: int) -> list[ScheduledGame]:
    """A game from each start."""
    match = Match(PLAYER, PLAYER, 2 * starts, config, seed=seed, opening_turns=2)
    return [fixture for fixture in match.fixtures() if fixture.seed % 2 == 0]


def play(fixture: ScheduledGame, player: Any, count_choices: bool = False) -> dict[str, Any]:
    """White's points, the number of turns, and the mean number of turns to choose from."""
    game, choices = fixture.begin(), []
    player.reset(0)
    turn = -1
    while game.result is None:
        if count_choices and game.turn != turn:
            turn = game.turn
            choices.append(len(game.turns()))
        game.play(player.act(game))
    points = {"1-0": 1.0, "0-1": 0.0}.get(game.result, 0.5)
    return {
        "points": points,
        "turns": game.turn,
        "choices": float(np.mean(choices)) if choices else None,
    }


def interval(pairs: PairResults) -> list[float]:
    """The share, and its 95% interval."""
    return [round(each, 4) for each in pairs.score]


def of_settings(
    line: str, config: GameConfig, starts: int, count_choices: bool = True
) -> dict[str, Any]:
    """What a player's games under some settings are like."""
    player = make_agent(line)
    games = [play(fixture, player, count_choices) for fixture in fixtures(config, starts, 1)]
    turns = [game["turns"] for game in games]
    found = {
        "games": len(games),
        "white": interval(
            PairResults.of((number, game["points"]) for number, game in enumerate(games))
        ),
        "undecided": round(float(np.mean([game["points"] == 0.5 for game in games])), 4),
        "turns": [float(np.quantile(turns, share)) for share in (0.1, 0.5, 0.9)],
    }
    if count_choices:
        found["choices"] = round(float(np.mean([game["choices"] for game in games])), 1)
    return found


def play_long(fixture: ScheduledGame, player: Any) -> tuple[float, int, int, float]:
    """Play a game in which positions may be repeated.

    Returns:
        White's points; the number of turns; after how many turns a position occurs for the third
            time, 0 if none does; and white's points if the side that repeats it loses.
    """
    game, met, turn = fixture.begin(), Counter[str](), -1
    player.reset(0)
    repeated, then = 0, 0.5
    while game.result is None:
        if game.turn != turn:
            turn = game.turn
            position = game.position.rpartition(" ")[0]  # without the number of turns
            met[position] += 1
            if not repeated and met[position] == OCCURRENCES:
                # Whoever is to act did not lead there.
                repeated, then = turn, float(game.to_act == "white")
        game.play(player.act(game))
    points = {"1-0": 1.0, "0-1": 0.0}.get(game.result, 0.5)
    return points, game.turn, repeated, then if repeated else points


def of_circles(line: str, starts: int) -> dict[str, Any]:
    """How a player's games of the standard game end by several rules against circling."""
    player, config = make_agent(line), GameConfig(max_turns=LONG)
    games = [play_long(fixture, player) for fixture in fixtures(config, starts, 1)]

    def row(ends: list[tuple[float, int]]) -> dict[str, Any]:
        """What games are like that end so: white's points, and the number of turns."""
        white = PairResults.of((number, points) for number, (points, _) in enumerate(ends))
        undecided = float(np.mean([points == 0.5 for points, _ in ends]))
        return {
            "white": interval(white),
            "undecided": round(undecided, 4),
            "turns": round(float(np.mean([turns for _, turns in ends])), 1),
        }

    found = {
        str(limit): row(
            [(points, turns) if turns <= limit else (0.5, limit) for points, turns, *_ in games]
        )
        for limit in LIMITS
    }
    found["repetition"] = row([(then, rep or turns) for _, turns, rep, then in games])
    share = float(np.mean([rep > 0 for _, _, rep, _ in games]))
    return {"games": len(games), "repeated": round(share, 4), "rules": found}


def of_powers(one: str | None, other: str | None, starts: int, power_texts: int = 1) -> list[float]:
    """The first power's score against the second, from both sides, with all chapters."""
    player, points = make_agent(QUICK_PLAYER), []
    for sides in ((one, other), (other, one)):
        config = GameConfig(chapters=CHAPTERS, powers=sides, power_texts=power_texts)
        for number, fixture in enumerate(fixtures(config, starts, 2)):
            white = play(fixture, player)["points"]
            points.append((number, white if sides == (one, other) else 1 - white))
    return interval(PairResults.of(points))


def of_endgames() -> dict[str, Any]:
    """How the solved endgames end.

    Returns:
        The number of positions by the turns to their end; 0 for those that go in circles.
    """
    known = endgames()
    boards, sides = np.arange(known.numbering.boards), known.numbering.sides
    apart = (
        known.numbering.images[boards // len(sides)] & sides[boards % len(sides)] & ON_BOARDS == 0
    )
    return {"turns": np.bincount(known.values.reshape(-1, FOCI)[apart].ravel()).tolist()}


def measured(folder: Path, starts: int, starts_of_powers: int) -> dict[str, Any]:
    """All figures, those that were measured before from the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "figures.json"
    figures: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    questions: dict[str, Any] = {"endgames": of_endgames}
    for chosen in SETS:
        name = "+".join(chosen) or "standard"
        for line in PLAYERS:
            questions[f"{line} in {name}"] = lambda line=line, chosen=chosen: of_settings(
                line, GameConfig(chapters=chosen), starts
            )
    for line in PLAYERS:
        questions[f"circles {line}"] = lambda line=line: of_circles(line, starts)
    for missing in range(1, 4):
        for pair in ((missing, 0), (0, missing)):
            questions[f"handicap {pair[0]}-{pair[1]}"] = lambda pair=pair: of_settings(
                PLAYER, GameConfig(handicap=pair), starts, False
            )
    for one, other in combinations((*NAMES, None), 2):
        questions[f"powers {one} {other}"] = lambda one=one, other=other: of_powers(
            one, other, starts_of_powers
        )
    for names in POWER_SETS.values():
        for one, other in combinations(names, 2):
            if {one, other} & SECOND_EFFECTS.keys():
                questions[f"second texts {one} {other}"] = lambda one=one, other=other: of_powers(
                    one, other, starts_of_powers, 2
                )
    with Progress(disable=not sys.stderr.isatty()) as progress:
        for name, question in progress.track(questions.items(), description="the game"):
            if name not in figures:
                begun(folder, "the game", name)
                figures[name] = question()
                path.write_text(json.dumps(figures, indent=1), "utf-8")
    return figures


def draw(figures: dict[str, Any]) -> None:
    """The powers against each other, and how long solved endgames last."""
    from matplotlib import colors, pyplot

    pyplot.style.use([PICTURES.parent / "plots.mplstyle", {"font.size": 9}])

    def save(drawing: Any, name: str) -> None:
        path = PICTURES / f"the_game_{name}.svg"
        drawing.savefig(path, metadata={"Date": None}, bbox_inches="tight")

    shares = np.full((len(NAMES), len(NAMES) + 1), np.nan)
    for row, one in enumerate(NAMES):
        for column, other in enumerate((*NAMES, None)):
            if one != other:
                share = figures.get(f"powers {one} {other}", [None])[0]
                shares[row, column] = 100 * (
                    share if share is not None else 1 - figures[f"powers {other} {one}"][0]
                )
    order = np.argsort(-shares[:, -1])
    drawing, axes = pyplot.subplots(figsize=(8, 7))
    low, high, *_ = pyplot.rcParams["axes.prop_cycle"].by_key()["color"]
    scale = colors.LinearSegmentedColormap.from_list("shares", [low, "white", high])
    axes.imshow(shares[np.ix_(order, [*order, len(NAMES)])], cmap=scale, vmin=0, vmax=100)
    axes.set_xticks(
        range(len(NAMES) + 1),
        [*(NAMES[number] for number in order), "no power"],
        rotation=60,
        ha="right",
    )
    axes.set_yticks(range(len(NAMES)), [NAMES[number] for number in order])
    for row, one in enumerate(order):
        for column, other in enumerate([*order, len(NAMES)]):
            if not np.isnan(shares[one, other]):
                axes.text(
                    column,
                    row,
                    f"{shares[one, other]:.0f}",
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="black",
                )
    save(drawing, "powers")

    turns = figures["endgames"]["turns"]
    drawing, axes = pyplot.subplots(figsize=(7, 3))
    for first, label, color in ((1, "the side to act wins", "C0"), (2, "it loses", "C1")):
        numbers = range(first, len(turns), 2)
        axes.bar(numbers, [turns[number] for number in numbers], color=color, label=label)
    axes.set(xlabel="turns to the end, counted over both sides", ylabel="positions", yscale="log")
    axes.legend(frameon=False)
    save(drawing, "endgames")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--starts",
        type=int,
        default=400,
        help="games for each set of chapters and each handicap (default: 400)",
    )
    parser.add_argument(
        "--starts-of-powers",
        type=int,
        default=50,
        help="starts for each two powers, played twice (default: 50)",
    )
    given = parser.parse_args()
    figures = measured(given.folder, given.starts, given.starts_of_powers)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    keep(given.folder, "the game")
    draw(figures)
    print(f"wrote {FIGURES} and two pictures; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
