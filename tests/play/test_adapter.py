"""What a game's adapter does unless the game says otherwise."""

from __future__ import annotations

from tests.games.tictactoe import TicTacToe
from tkm_env.play.adapter import PlayAdapter


def test_the_log_has_an_entry_for_each_action() -> None:
    game = TicTacToe()
    actions = game.legal_names()[:3]
    for action in actions:
        game.play(action)
    log = PlayAdapter().log(game)
    assert [entry.action for entry in log] == actions
    assert [entry.player for entry in log] == [*game.players, game.players[0]]
