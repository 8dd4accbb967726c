"""Tactical positions: found in games, verified by trying everything, kept in data/tactics.jsonl.

``python -m tests.games.tkm.tactics`` finds new ones.

The solver here shares only the list of a turn's different outcomes with the search that it judges:
no evaluation, no table of bounds, no window. A line of the file says which ``kind`` of task it is:

- ``win``: the side to act wins in ``turns`` of its own turns, and not sooner, whatever the opponent
  does. ``solution``: every first turn that does so.
- ``avoid``: most turns let the opponent win within ``turns`` of theirs. ``solution``: every turn
  that does not.

A turn is given as the names of its actions; another order of actions that leads to the same
position is as good.
"""

from __future__ import annotations

import argparse
import functools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.cases import DATA, json_lines
from tkm_env import ACTIONS, Game
from tkm_env.core.turns import TurnRows, list_turns
from tkm_env.games.tkm.engine.state import CHAPTERS, OVER, SHIFT, STATE, WON
from tkm_env.games.tkm.engine.turn_generator import TURN_KERNELS
from tkm_env.players import AlphaBetaAgent, RandomAgent
from tkm_env.players.tkm.search.alphabeta import Searcher, turns_to_end

FILE = "tactics.jsonl"
#: How often each turn settled a question: an order to try turns in, which changes no answer.
_DECIDED: Counter[bytes] = Counter()

#: Sets of chapters, and how many positions of each kind: win in 1, 2, 3; avoid a loss in 1, 2.
WANTED = {
    (): (2, 3, 3, 2, 2),
    ("growth",): (2, 3, 2, 2, 1),
    ("influence",): (2, 3, 2, 2, 1),
    ("memory",): (2, 3, 2, 2, 1),
    ("growth", "influence"): (1, 1, 1, 1, 0),
    ("growth", "memory"): (1, 1, 1, 1, 0),
    ("influence", "memory"): (1, 1, 1, 1, 0),
    CHAPTERS: (1, 2, 1, 1, 1),
}
#: How many positions to look at for each set of chapters; what was not found then is left out.
MOST_POSITIONS = 1500
KINDS = (("win", 1), ("win", 2), ("win", 3), ("avoid", 1), ("avoid", 2))


def outcomes(states: np.ndarray[Any, Any]) -> TurnRows:
    """Every way to play the turn."""
    return list_turns(TURN_KERNELS, states, np.zeros(1, np.int64))[1]


def _won(states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which of these positions the side that has just played won."""
    return states["result"] == WON + states["to_act"]


@functools.lru_cache(maxsize=1 << 20)
def _can_win(content: bytes, turns: int) -> bool:
    """Whether the side to act can win within this number of its own turns.

    It must win whatever the opponent does.
    """
    states = np.frombuffer(content, STATE).copy()
    if states["step"][0] == OVER:
        return False
    ways = outcomes(states)
    if _won(ways.states).any():
        return True
    if turns == 1:
        return False
    return _decided_by(lambda content: _must_lose(content, turns - 1), ways)


@functools.lru_cache(maxsize=1 << 20)
def _must_lose(content: bytes, turns: int) -> bool:
    """Whether the opponent of the side to act can win within this number of their own turns.

    They must win whatever the side to act does.
    """
    states = np.frombuffer(content, STATE).copy()
    if states["step"][0] == OVER:
        return False
    ways = outcomes(states)
    if _won(ways.states).any():
        return False
    return not _decided_by(lambda content: not _can_win(content, turns), ways)


def _decided_by(decides: Callable[[bytes], bool], ways: TurnRows) -> bool:
    """Whether ``decides`` is true of a position after one of the turns.

    Turns that often decided elsewhere come first.
    """
    turns = [actions.tobytes() for actions in ways.actions]
    for turn, content in sorted(
        zip(turns, _contents(ways.states), strict=True), key=lambda way: -_DECIDED[way[0]]
    ):
        if decides(content):
            _DECIDED[turn] += 1
            return True
    return False


def _contents(states: np.ndarray[Any, Any]) -> list[bytes]:
    return [states[number : number + 1].tobytes() for number in range(len(states))]


def solve(game: Game, kind: str, turns: int) -> list[list[str]]:
    """The solution of a task, by trying everything."""
    ways = outcomes(game._states)
    won = _won(ways.states)
    solution = []
    for number, (way, content) in enumerate(zip(ways.ways, _contents(ways.states), strict=True)):
        if kind == "win":
            solves = won[number] or (
                turns > 1 and not won[number] and _must_lose(content, turns - 1)
            )
        else:
            solves = not _can_win(content, turns)
        if solves:
            solution.append([ACTIONS[action] for action in way])
    return solution


def is_no_sooner(game: Game, kind: str, turns: int) -> bool:
    """Whether a win does not come sooner, or a loss is not avoided only by winning."""
    if kind == "avoid":
        return not _won(outcomes(game._states).states).any()
    return turns == 1 or not _can_win(game._states.tobytes(), turns - 1)


def game_of(task: dict[str, Any]) -> Game:
    """The game of a line of the file."""
    return Game(position=task["position"], edition=task["edition"])


def tasks() -> list[dict[str, Any]]:
    """The lines of the file."""
    return json_lines(FILE)


def _games(chapters: tuple[str, ...], seed: int) -> Iterator[Game]:
    """Positions between two turns of games that are played well, from random openings."""
    generator = np.random.default_rng([seed, len(chapters)])
    opening, player = RandomAgent(seed=generator), AlphaBetaAgent(depth=2)
    while True:
        game = Game(
            chapters=chapters, edition=str(generator.choice(["2021", "2022"])), max_turns=60
        )
        turns, turn = int(generator.integers(4, 9)), 0
        while game.result is None:
            if game.turn != turn and game.turn > turns:
                yield game
            turn = game.turn
            game.play((opening if game.turn <= turns else player).act(game))


def _kind_of(game: Game, searcher: Searcher) -> tuple[str, int] | None:
    """What task the position looks like: a proved win, or some turns proved lost and few others."""
    best = searcher.search(game._states, depth=5)
    end = turns_to_end(best.score)
    if end is not None:
        return ("win", (end + 1) // 2) if best.score > 0 and end <= 5 else None
    threat = searcher.search(_passed(game), depth=3)
    end = turns_to_end(threat.score)
    return ("avoid", (end + 1) // 2) if end is not None and threat.score > 0 else None


def _passed(game: Game) -> np.ndarray[Any, Any]:
    """The same position with the opponent to act, to see what they threaten."""
    states = game._states.copy()
    states["to_act"] = 1 - states["to_act"]
    if len(outcomes(states).keys) == 0:
        states["step"] = SHIFT  # nothing to choose
    return states


def find(chapters: tuple[str, ...], wanted: tuple[int, ...], seed: int) -> list[dict[str, Any]]:
    """Tasks for a set of chapters, with few solutions among many turns."""
    searcher = Searcher()
    missing = dict(zip(KINDS, wanted, strict=True))
    found: list[dict[str, Any]] = []
    for game, _ in zip(_games(chapters, seed), range(MOST_POSITIONS), strict=False):
        if not any(missing.values()):
            break
        kind = _kind_of(game, searcher)
        if kind is None or not missing.get(kind, 0):
            continue
        ways = len(game.turns())
        solution = solve(game, *kind)
        few = ways // (8 if kind[0] == "win" else 3)
        if not 1 <= len(solution) <= max(3, few) or not is_no_sooner(game, *kind):
            continue
        missing[kind] -= 1
        name = "-".join(chapters) or "standard"
        task = {
            "id": f"{name} {kind[0]} {kind[1]} {missing[kind] + 1}",
            "position": game.position,
            "edition": game.config.edition,
        }
        found.append(task | {"kind": kind[0], "turns": kind[1], "solution": solution})
        print(task["id"], task["position"], len(solution), "of", ways, flush=True)
    return sorted(found, key=lambda task: task["id"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    lines: list[str] = []
    for chapters, wanted in WANTED.items():
        lines += [json.dumps(task) for task in find(chapters, wanted, seed)]
        (DATA / FILE).write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
