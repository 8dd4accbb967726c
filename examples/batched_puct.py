"""Search many games at once by PUCT, with numpy: ``python examples/batched_puct.py``.

The positions of all trees are rows of one `tkm_env.Batch`. Each round descends all trees side by
side, expands one leaf of each in a single call, and evaluates all these leaves at once. A network
would do this evaluation; here the value is a count of copies, and priors are equal. The program
needs only tkm_env, evaluates the search against ``greedy``, and is for games without chance or
hidden information.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tkm_env import NO_ACTION, Batch, Game
from tkm_env.evaluation import evaluate

#: What a network would say of the games in some rows of a batch: the prior of each action, of shape
#: (k, actions), where those of illegal ones are ignored; and a value from -1 to 1 for the player to
#: act, of shape (k,).
Guess = Callable[[Batch, NDArray[np.int64]], tuple[NDArray[Any], NDArray[Any]]]


def count_copies(batch: Batch, rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return equal priors, and values that compare the players' copies.

    They count the eras in which a player has a copy, of which it needs two, and its copies on the
    boards.
    """
    cells = batch.states["cell"][rows]
    copies = np.stack([(cells == 1).sum(2, dtype=np.int8), (cells == 2).sum(2, dtype=np.int8)])
    eras, boards = (copies > 0).sum(2, dtype=np.int8), copies.sum(2, dtype=np.int8)
    ahead = 3 * (eras[0] - eras[1]) + (boards[0] - boards[1])
    values = np.tanh(0.15 * ahead) * (1 - 2 * batch.to_act[rows])
    return np.broadcast_to(np.float32(1), (len(rows), batch.num_actions)), values


class Trees:
    """Parallel search trees, one per game.

    A node is an action in its parent, and gets a row of the batch when it is first visited. Sums of
    values are kept from the first player's point of view, so that nothing depends on whose turn it
    is. If there is a generator, a quarter of the roots' priors is drawn from it, so that self-play
    tries everything.
    """

    def __init__(
        self,
        games: int,
        simulations: int,
        exploration: float,
        guess: Guess,
        generator: np.random.Generator | None = None,
    ) -> None:
        self.games, self.simulations, self.exploration, self.guess = (
            games,
            simulations,
            exploration,
            guess,
        )
        self.generator = generator
        self.batch = Batch(games * (simulations + 1))
        room = 16 * self.batch.num_games
        self.prior, self.visits, self.total, self.value, self.sign = np.zeros((5, room), np.float32)
        self.action, self.row, self.first, self.children = np.zeros((4, room), np.int64)

    def search(self, batch: Batch, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Search the games with these indices, and count the visits of each action.

        Returns:
            The counts: int64 of shape (k, actions).
        """
        games = np.arange(len(numbers))
        self.rows = self.nodes = len(numbers)
        self.batch.play_from(numbers, np.full(len(numbers), NO_ACTION), games, batch)
        self.visits[games], self.total[games], self.row[games] = 0, 0, games
        self._expand(games, games)
        of_game, first = (
            np.repeat(games, self.children[games]),
            slice(len(numbers), self.nodes),
        )  # the roots' children
        if self.generator is not None:
            drawn = self.generator.gamma(
                10 / self.children[of_game]
            )  # normalised, they are Dirichlet noise
            self.prior[first] = (
                0.75 * self.prior[first] + 0.25 * drawn / np.bincount(of_game, drawn)[of_game]
            )
        for _ in range(self.simulations):
            self._simulate(games)
        tried = np.zeros((len(numbers), self.batch.num_actions), np.int64)
        tried[of_game, self.action[first]] = self.visits[first]
        return tried

    def _simulate(self, games: NDArray[np.int64]) -> None:
        """Descend each tree to a leaf, visit it, and back up its value."""
        nodes, parents, leaves, path = games, games.copy(), games.copy(), [(games, games)]
        while len(nodes):
            games, nodes = games[going := self.children[nodes] > 0], nodes[going]
            if len(nodes):
                parents[games] = nodes
                nodes = leaves[games] = self._best_children(nodes)
                path.append((nodes, games))
        new = (self.row[leaves] < 0).nonzero()[0]
        rows = self.rows + np.arange(len(new))
        self.rows += len(new)
        self.batch.play_from(self.row[parents[new]], self.action[leaves[new]], rows)
        self.row[leaves[new]] = rows
        self._expand(leaves[new], rows)
        values = self.value[leaves]
        for nodes, games in path:
            self.visits[nodes] += 1
            self.total[nodes] += values[games]

    def _best_children(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose a child of each node by PUCT.

        An unvisited child is assumed to have its parent's value.
        """
        count, visits = self.children[nodes][:, None], self.visits[nodes][:, None]
        columns = np.arange(count.max())
        children = self.first[nodes][:, None] + columns
        sign, tried = self.sign[nodes][:, None], self.visits[children]
        unknown = self.total[nodes][:, None] / np.maximum(visits, 1)
        worth = np.where(tried > 0, self.total[children] / np.maximum(tried, 1), unknown)
        score = sign * worth + self.exploration * np.sqrt(visits) * self.prior[children] / (
            1 + tried
        )
        score[columns >= count] = -np.inf
        best: NDArray[np.int64] = self.first[nodes] + score.argmax(1)
        return best

    def _expand(self, nodes: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Evaluate the nodes in these rows, and add a child for each legal action.

        Finished games have none.
        """
        batch = self.batch
        priors, values = self.guess(batch, rows)
        sign = 1 - 2 * batch.to_act[rows]
        over = batch.results[rows] != 0
        self.value[nodes] = np.where(
            over, batch.ends.rewards[batch.results[rows], 0], sign * values
        )
        self.sign[nodes] = sign
        parent, action = batch.masks[rows].nonzero()
        count = np.bincount(parent, minlength=len(nodes))
        self.children[nodes], self.first[nodes] = count, self.nodes + np.cumsum(count) - count
        added = slice(self.nodes, self.nodes + len(action))
        self.nodes = added.stop
        self._make_room()
        prior = priors[parent, action]
        self.prior[added] = prior / np.bincount(parent, prior, len(nodes))[parent]
        self.visits[added], self.total[added], self.children[added] = 0, 0, 0
        self.action[added], self.row[added] = action, -1

    def _make_room(self) -> None:
        """Double the room for nodes if necessary.

        Spare nodes at the end pad the rows of nodes with fewer children.
        """
        if self.nodes + self.batch.num_actions > len(self.row):
            for name in (
                "prior",
                "visits",
                "total",
                "value",
                "sign",
                "action",
                "row",
                "first",
                "children",
            ):
                array = getattr(self, name)
                setattr(self, name, np.concatenate([array, np.zeros_like(array)]))


class PUCT:
    """An agent that runs a fixed number of simulations per decision.

    Environments, matches and `evaluate` accept it.
    """

    def __init__(
        self, simulations: int = 100, exploration: float = 0.5, guess: Guess = count_copies
    ) -> None:
        self.name = f"puct simulations={simulations}"
        self._trees: Callable[[int], Trees] = lambda games: Trees(
            games, simulations, exploration, guess
        )
        self._kept = self._trees(1)

    def reset(self, seed: Any = None) -> None:
        """Do nothing: the agent is deterministic."""

    def act(self, game: Game) -> int:
        """Return the most visited action of a game."""
        batch = Batch(1)
        batch.set_game(0, game)
        return int(self.choose(batch, np.array([0]))[0])

    def choose(self, batch: Batch, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the most visited action in each of the games of a batch with these indices."""
        if self._kept.games < len(numbers):
            self._kept = self._trees(len(numbers))
        return self._kept.search(batch, numbers).argmax(1)

    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play all games of a batch until ``players[i]`` is to act, or the game is over."""
        while len(numbers := (~batch.over & (batch.to_act != players)).nonzero()[0]):
            actions = np.full(batch.num_games, NO_ACTION)
            actions[numbers] = self.choose(batch, numbers)
            batch.play(actions)


def measured(games: int, simulations: int, runs: int, seed: int) -> float:
    """Measure simulations per CPU second, in games after some random actions.

    The fastest run counts.
    """
    batch = Batch(games)
    batch.reset(seed=seed)
    for _ in range(10):
        batch.play(batch.random_actions())
    trees, seconds = Trees(games, simulations, 0.5, count_copies), []
    for _ in range(runs + 1):  # the first one also loads or compiles the engine
        begun = time.process_time()
        trees.search(batch, np.arange(games))
        seconds.append(time.process_time() - begun)
    return games * simulations / min(seconds[1:])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--games-at-once", type=int, default=512, help="trees of the measurement (default: 512)"
    )
    parser.add_argument(
        "--simulations", type=int, default=100, help="simulations per decision (default: 100)"
    )
    parser.add_argument(
        "--runs",
        type=int,
        default=5,
        help="runs of the measurement; the fastest counts (default: 5)",
    )
    parser.add_argument(
        "--games", type=int, default=200, help="games of the evaluation (default: 200)"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    speed = measured(arguments.games_at_once, arguments.simulations, arguments.runs, arguments.seed)
    print(f"{speed:,.0f} simulations per CPU second, in {arguments.games_at_once} trees at once")
    print(
        evaluate(PUCT(arguments.simulations), "greedy", games=arguments.games, seed=arguments.seed)
    )


if __name__ == "__main__":
    main()
