"""What is seen of a side's survival without playing turns holds when all turns are played."""

from __future__ import annotations

from itertools import combinations

import pytest

from benchmarks.kernels import cannot_win
from tests.games.tkm.positions import random_game
from tkm_env import Game

CHAPTERS = ("growth", "influence", "memory")


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["2021", "2022"])
@pytest.mark.parametrize(
    "chapters", [chosen for size in range(4) for chosen in combinations(CHAPTERS, size)]
)
def test_what_is_seen_without_playing_turns_holds_for_every_turn(
    chapters: tuple[str, ...], edition: str
) -> None:
    seen = {1: 0, 2: 0, 3: 0, 4: 0}
    for game in (
        game.copy()
        for seed in range(6)
        for game in random_game(Game(chapters=chapters, edition=edition), seed)
    ):
        if game.result or game.position.split()[3] not in "c12":
            continue
        mover, after = game.players.index(game.to_act), [way.after for way in game.turns()]
        other, (loss, won) = 1 - mover, [("1-0", "0-1")[player] for player in (1 - mover, mover)]
        for turns in (1, 3):
            if cannot_win(game.state, mover, turns):
                seen[turns] += 1
                assert won not in [each.result for each in after], (
                    f"{game.position}: a win in one turn, not seen for {turns}"
                )
                for each in after[: None if turns == 3 else 0]:
                    assert each.result or cannot_win(each.state, mover, 2), (
                        f"{game.position}, seen for 3: {each.position}, not seen for 2"
                    )
        if game.position.split()[3] != "c":
            continue
        if cannot_win(game.state, other, 2):
            seen[2] += 1
            lives = any(
                each.result or all(way.after.result != loss for way in each.turns())
                for each in after
            )
            assert lives, f"{game.position}: every turn loses"
        if cannot_win(game.state, other, 4):
            seen[4] += 1
            lives = any(each.result or cannot_win(each.state, other, 3) for each in after)
            assert lives, f"{game.position}: seen for 4, not after any turn for 3"
    assert min(seen[1], seen[2]) > 20, seen
    assert min(seen[3], seen[4]) > 5 or "influence" in chapters, seen


@pytest.mark.parametrize(
    "position",
    [
        (
            ".*.D/..*./.*.b/L..*|W#.D/..#./.#.#/LW.B|"
            ".T.D/..TB/.T../L..^ GM w 1 PN N14 3/4 - ---/--- -/- 17"
        ),  # a step takes the one free space
        (
            ".w.B/W.*./..../..B*|.#B./..#./..../.W..|"
            ".TB*/...B/.W^./.... G w c PN - 1/0 - ---/--- -/- 39"
        ),  # seeds grow on both free spaces
    ],
)
def test_nobody_is_seen_to_live_on_by_a_step_that_the_attacker_can_prevent(position: str) -> None:
    game = Game(position=position)
    assert not cannot_win(game.state, game.players.index(game.to_act), 3)
