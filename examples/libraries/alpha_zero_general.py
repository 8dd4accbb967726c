"""AlphaZero code that expects the players to alternate, and the line that makes it right here.

`AlphaZeroGame` is this environment in the interface of alpha-zero-general, a widely copied program
(https://github.com/suragnair/alpha-zero-general). Its search negates a value at every action, but
here a player acts about four times in a row. With a clone of it, this program lets its search play
against ``random``, as it is and with one line changed. The search knows nothing: all actions are
equally likely at first, and a position is worth the result of one game at random from there.

    git clone https://github.com/suragnair/alpha-zero-general
    python examples/libraries/alpha_zero_general.py --repository alpha-zero-general

With ``--whole-turns`` a move is a whole turn, so that the players alternate and nothing need be
changed. Without ``--repository`` the short search below plays, by the same two rules of signs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tkm_env import Game, GameConfig, ObservationEncoder
from tkm_env.evaluation import evaluate

#: What a draw or a truncated game is worth: not 0, which would mean that the game goes on.
DRAW = 1e-4

#: The line of the library's MCTS.py that is wrong here, and the line to write instead.
WRONG = "v = self.search(next_s)"
RIGHT = "v = -next_player * self.search(next_s)"


class Board(NamedTuple):
    """A position, as the library hands it around.

    Attributes:
        game: the game at this position, which is never played on.
        one: the name of the player whom the library calls 1; it calls the other -1.
    """

    game: Game
    one: str


class AlphaZeroGame:
    """The environment in that library's interface; a move is one action.

    The canonical form of a board names the player to act 1. Moves are numbered as that player sees
    the board, which is the image under the symmetry that exchanges the players if black is to act;
    this is the view that environments call ``canonical``.

    Args:
        **settings: the keywords of `GameConfig`.

    Attributes:
        encoder: writes what networks see.
    """

    def __init__(self, **settings: Any) -> None:
        self.encoder = ObservationEncoder(Game, GameConfig(**settings), canonical=True)

    def getInitBoard(self) -> Board:
        return Board(Game(self.encoder.config), Game.players[0])

    def getBoardSize(self) -> tuple[int, ...]:
        """The shape of what a network sees."""
        return self.encoder.high.shape

    def getActionSize(self) -> int:
        return len(Game.action_names)

    def getNextState(self, board: Board, player: int, action: int) -> tuple[Board, int]:
        """Play a move.

        Args:
            board: the board.
            player: who is to act, 1 or -1.
            action: the move, as that player numbers it.

        Returns:
            The board after it, and who acts next: the same player until the turn is over. The
                turn that ends the game is over, too.
        """
        game = board.game.copy()
        for own in self.actions(board, action):
            game.play(own)
        same = game.result is None and game.to_act == board.game.to_act
        return Board(game, board.one), player if same else -player

    def getValidMoves(self, board: Board, player: int) -> NDArray[np.int8]:
        """The action mask.

        Args:
            board: the board.
            player: who is to act.

        Returns:
            1 for each legal move, 0 for all others.
        """
        return self.encoder.action_mask(board.game)

    def getGameEnded(self, board: Board, player: int) -> float:
        """How the game ended for a player.

        Args:
            board: the board.
            player: 1 or -1.

        Returns:
            1 for a win, -1 for a loss, `DRAW` for a draw or a truncated game, 0 if it goes on.
        """
        if board.game.result is None:
            return 0
        if board.game.winner is None:
            return DRAW
        return player if board.game.winner == board.one else -player

    def getCanonicalForm(self, board: Board, player: int) -> Board:
        """The board as a player sees it.

        Args:
            board: the board.
            player: who is to act.

        Returns:
            The same position, in which that player is 1.
        """
        white, black = Game.players
        other = black if board.one == white else white
        return board if player == 1 else Board(board.game, other)

    def getSymmetries(self, board: Board, pi: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """What a network learns from a position: all its images under the rules' symmetries.

        Args:
            board: the board.
            pi: a number for each move.

        Returns:
            Observations, as `observe` returns them, each with the numbers of its moves.
        """
        seen, policy = self.observe(board)[np.newaxis], np.asarray(pi)
        return [
            (tables.transform_observations(seen)[0], tables.transform_actions(policy))
            for tables in self.encoder.symmetries
        ]

    def stringRepresentation(self, board: Board) -> bytes:
        """All that matters of a board: also whose turn it is, and what is left of the turn."""
        return board.game.state.tobytes() + board.one.encode()

    def observe(self, board: Board) -> NDArray[Any]:
        """What the player to act sees: the input of a network's ``predict``."""
        return self.encoder.observation(board.game)

    def actions(self, board: Board, move: int) -> tuple[int, ...]:
        """The environment's actions of a move.

        Args:
            board: the board.
            move: the move, as the player to act numbers it.

        Returns:
            The indices of the actions, in order.
        """
        return (self.encoder.own_action(board.game, move),)


class WholeTurns(AlphaZeroGame):
    """The same, but a move is a whole turn, by its index in ``game.turns()``.

    The players alternate. An index means nothing to a network by itself, so a network that has
    learned something would score the position after each turn.

    Args:
        most: the number of moves; more turns than that are an error.
        **settings: the keywords of `GameConfig`.
    """

    def __init__(self, most: int = 256, **settings: Any) -> None:
        super().__init__(**settings)
        self.most = most
        self._turns = lru_cache(10_000)(lambda game: [turn.actions for turn in game.turns()])

    def getActionSize(self) -> int:
        return self.most

    def getValidMoves(self, board: Board, player: int) -> NDArray[np.int8]:
        count = len(self._turns(board.game))
        if count > self.most:
            raise ValueError(f"{count} turns, but there is room for {self.most}: raise `most`")
        return (np.arange(self.most) < count).astype(np.int8)

    def getSymmetries(self, board: Board, pi: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        return [(self.observe(board), np.asarray(pi))]  # an image lists its turns in another order

    def actions(self, board: Board, move: int) -> tuple[int, ...]:
        actions: tuple[int, ...] = self._turns(board.game)[move]
        return actions


class Network(Protocol):
    """What a search asks."""

    def predict(self, board: Board) -> tuple[NDArray[Any], float]:
        """Return a prior for each move, and the value for the player to act."""


class Playout:
    """Stands for a network that knows nothing: equal priors, and the result of a random game.

    Args:
        game: the interface.
        generator: draws the actions.
    """

    def __init__(self, game: AlphaZeroGame, generator: np.random.Generator) -> None:
        self.game, self.generator = game, generator

    def predict(self, board: Board) -> tuple[NDArray[Any], float]:
        player, played = board.game.to_act, board.game.copy()
        while played.result is None:
            legal = played.legal_actions()
            played.play(legal[self.generator.integers(len(legal))])
        value = 0.0 if played.winner is None else 1.0 if played.winner == player else -1.0
        return np.ones(self.game.getActionSize()), value


class Searching(Protocol):
    """What `Player` needs of a search, named as in the library."""

    def getActionProb(self, canonicalBoard: Board, temp: float) -> Any:
        """Return the share of each move; with ``temp=0`` 1 for the best."""


class Node:
    """A position in the tree of `Search`."""

    def __init__(self, board: Board, game: AlphaZeroGame, network: Network) -> None:
        self.board = board
        self.ended = game.getGameEnded(board, 1) != 0
        self.legal = game.getValidMoves(board, 1) > 0
        #: For the player to act, like all values of a node.
        self.value = game.getGameEnded(board, 1)
        self.prior, self.visits, self.total = np.zeros((3, len(self.legal)))
        if not self.ended:
            priors, self.value = network.predict(board)
            self.prior = priors * self.legal / (priors * self.legal).sum()
        #: After each move, the node and whether the same player acts there (1) or the other (-1).
        self.after: dict[int, tuple[Node, int]] = {}


class Search:
    """A short PUCT over the interface, right also where a player acts several times in a row.

    Args:
        game: the interface.
        network: what judges positions.
        simulations: the number of simulations per decision.
        exploration: the constant of PUCT.
        per_ply: whether to negate values at every move, which is wrong here.
    """

    def __init__(
        self,
        game: AlphaZeroGame,
        network: Network,
        simulations: int,
        exploration: float = 1.0,
        per_ply: bool = False,
    ) -> None:
        self.game, self.network, self.simulations = game, network, simulations
        self.exploration, self.per_ply = exploration, per_ply

    def getActionProb(self, canonicalBoard: Board, temp: float = 1) -> NDArray[Any]:
        """Search a position.

        Args:
            canonicalBoard: the position.
            temp: 1 for the shares of visits, 0 for a 1 at the most visited moves only.

        Returns:
            A number for each move.
        """
        root = Node(canonicalBoard, self.game, self.network)
        for _ in range(self.simulations):
            self.simulate(root)
        shares: NDArray[Any] = root.visits / root.visits.sum()
        return (shares == shares.max()).astype(float) if temp == 0 else shares

    def simulate(self, node: Node) -> float:
        """Run one simulation from a node; returns its value for the player to act there."""
        if node.ended:
            return node.value
        worth = node.total / np.maximum(node.visits, 1)
        bonus = self.exploration * node.prior * np.sqrt(1 + node.visits.sum()) / (1 + node.visits)
        move = int(np.where(node.legal, worth + bonus, -np.inf).argmax())
        if move in node.after:
            child, player = node.after[move]
            value = self.simulate(child)
        else:
            board, player = self.game.getNextState(node.board, 1, move)
            child = Node(self.game.getCanonicalForm(board, player), self.game, self.network)
            node.after[move] = child, player
            value = child.value
        value *= -1 if self.per_ply else player
        node.visits[move] += 1
        node.total[move] += value
        return value


class Player:
    """A search as a player, with a new tree for each decision.

    Args:
        name: its name in results.
        game: the interface over which it searches.
        search: makes a search.
    """

    def __init__(self, name: str, game: AlphaZeroGame, search: Callable[[], Searching]) -> None:
        self.name, self.game, self.search = name, game, search
        #: What is left of turns that were chosen as a whole.
        self.plans: dict[Game, int] = {}

    def reset(self, seed: Any = None) -> None:
        """Seed the draws of ties, which the library takes from NumPy's global generator."""
        np.random.seed(np.random.default_rng(seed).integers(2**32))  # noqa: NPY002

    def act(self, game: Game) -> int:
        if game not in self.plans:
            board = Board(game.copy(), game.to_act)
            move = int(np.argmax(self.search().getActionProb(board, temp=0)))
            played = game.copy()
            for action in self.game.actions(board, move):
                self.plans[played.copy()] = action
                played.play(action)
        return self.plans.pop(game)


def library_search(repository: Path, changed: bool) -> Callable[..., Searching]:
    """The library's class MCTS.

    Args:
        repository: a clone of alpha-zero-general.
        changed: whether the wrong line is replaced.

    Returns:
        The class.
    """
    source = (repository / "MCTS.py").read_text("utf-8")
    if source.count(WRONG) != 1:
        sys.exit(f"{repository / 'MCTS.py'} has no line {WRONG!r}, or several")
    module = ModuleType("MCTS")
    exec(source.replace(WRONG, RIGHT) if changed else source, vars(module))  # noqa: S102
    found: Callable[..., Searching] = module.MCTS
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", type=Path, help="a clone of alpha-zero-general")
    parser.add_argument(
        "--whole-turns", action="store_true", help="a move is a whole turn, not an action"
    )
    parser.add_argument(
        "--simulations", type=int, default=25, help="simulations per move (default: 25)"
    )
    parser.add_argument("--games", type=int, default=100, help="games of each (default: 100)")
    parser.add_argument("--opponent", default="random", help="an agent (default: random)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    game = WholeTurns() if arguments.whole_turns else AlphaZeroGame()
    network = Playout(game, np.random.default_rng(arguments.seed))
    settings = SimpleNamespace(numMCTSSims=arguments.simulations, cpuct=1.0)

    def search(per_ply: bool) -> Callable[[], Searching]:
        if arguments.repository is None:
            return lambda: Search(game, network, arguments.simulations, per_ply=per_ply)
        found = library_search(arguments.repository, changed=not per_ply)
        return lambda: found(game, network, settings)

    signs = {"sign_per_player": False, "sign_per_ply": True}
    for name, per_ply in {"whole_turns": True}.items() if arguments.whole_turns else signs.items():
        player = Player(name, game, search(per_ply))
        print(evaluate(player, arguments.opponent, games=arguments.games, seed=arguments.seed))


if __name__ == "__main__":
    main()
