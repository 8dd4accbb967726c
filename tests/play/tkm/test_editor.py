"""The editor of positions: changes that no other test of the page makes."""

from __future__ import annotations

from tkm_env import Game
from tkm_env.play.tkm.adapter import ADAPTER


def test_a_hat_is_put_on_an_elephant_and_taken_off_again() -> None:
    game = Game(chapters="memory")
    assert ADAPTER.editor is not None
    bare = ADAPTER.editor.edit(game.position, "", "", config=game.config).position
    worn = ADAPTER.editor.edit(bare, "P4", "white hat", config=game.config).position
    assert ADAPTER.editor.edit(worn, "P4", "white hat", config=game.config).position == bare
    changed = ADAPTER.editor.edit(worn, "P4", "black hat", config=game.config).position
    assert len({bare, worn, changed}) == 3
