from tkm_env import Game, TerminusGame
from tkm_env.core.game import BaseGame


def first_player_wins(game: BaseGame) -> bool:
    """Play the first legal action until the end: every game has these members."""
    game = game.copy()
    while game.result is None:
        game.play(game.legal_actions()[0])
    return game.winner == game.players[0]


print(first_player_wins(Game()), first_player_wins(TerminusGame(seed=1)))
