"""Whole turns, against playing every order of actions."""

from __future__ import annotations

from tests.cases import each, each_setting
from tests.games.tkm.positions import TALK, VARIED
from tests.games.tkm.search.helpers import MORE, positions, turns_of
from tkm_env import ACTIONS, Game
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.search.turns import pack_actions, unpack_turn


def brute_force(game: Game) -> dict[bytes, list[int]]:
    """The positions a turn can lead to, by playing every order of actions."""
    found: dict[bytes, list[int]] = {}
    player = game.to_act

    def go(game: Game, taken: list[int]) -> None:
        if taken and (game.result is not None or game.to_act != player):
            found.setdefault(game._states.tobytes(), taken)
            return
        for action in game.legal_actions():
            if ACTIONS[action] not in ("concede", "offer draw"):
                after = game.copy()
                after.play(action)
                go(after, [*taken, action])

    go(game, [])
    return found


@each_setting
def test_turns_are_all_positions_one_turn_leads_to_each_once(chapters: tuple[str, ...], edition: str) -> None:
    for game in positions(chapters, edition, MORE // 2 or 1, **TALK):
        turns, after = turns_of(game._states)
        contents = [after[number : number + 1].tobytes() for number in range(len(after))]
        assert len(set(contents)) == len(contents)
        assert set(contents) == set(brute_force(game))
        for turn, content in zip(turns, contents, strict=True):
            trial = game.copy()
            for action in turn:
                trial.play(action)
            assert trial._states.tobytes() == content


@each("position", VARIED)
def test_turns_are_found_at_every_step(position: str) -> None:
    game = Game(position=position, **TALK)
    _, after = turns_of(game._states)
    assert {after[number : number + 1].tobytes() for number in range(len(after))} == set(brute_force(game))


def test_a_packed_turn_holds_the_longest_turn() -> None:
    longest = [NUM_ACTIONS - 1] * 9
    assert unpack_turn(pack_actions(longest)) == longest
    assert 0 < pack_actions(longest) < 2**63
