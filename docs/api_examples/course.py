from tkm_env import Game
from tkm_env.course import GameNode


def count(node, depth):
    """Return how many lines of exactly ``depth`` actions there are."""
    if depth == 0:
        return 1
    return sum(count(child, depth - 1) for _, child in node.children())


def copies(game):
    """Return how many more copies White has than Black."""
    board = game.position.split()[0]
    return board.count("W") - board.count("B")


print(count(GameNode(Game(), copies), 4))
