"""Which positions a game has been to."""

from __future__ import annotations

from tests.cases import each_setting
from tests.games.tkm.positions import TALK
from tests.players.tkm.search.helpers import joined, position_keys, positions
from tkm_env import Game
from tkm_env.players.tkm.search.repetition import history_keys


@each_setting
def test_the_positions_seen_are_those_at_the_beginnings_of_turns(
    chapters: tuple[str, ...], edition: str
) -> None:
    for game in positions(chapters, edition, 2, **TALK):
        begun = [game.at(ply) for ply in range(len(game.history))]
        begun = [
            now
            for number, now in enumerate(begun)
            if number == 0 or now.turn != begun[number - 1].turn
        ]
        keys = history_keys(game).tolist()
        assert sorted(set(keys)) == position_keys(joined(begun)).tolist()
        assert len(keys) == len(begun)


def test_a_game_that_has_only_begun_has_been_nowhere() -> None:
    assert history_keys(Game()).shape == (0,)
