"""The search of proofs: it finds what alpha-beta proves, in every chapter and with every power, and images share what is known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from benchmarks.kernels import cannot_win
from tests.games.tkm.positions import random_game
from tkm_env import Game
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players.tkm.search.alphabeta import Searcher, turns_to_end
from tkm_env.players.tkm.search.evaluation import new_evaluator
from tkm_env.players.tkm.search.proof_search import ProofSearcher

CHAPTERS = ("standard", "growth", "influence", "memory", ("growth", "influence", "memory"))


def positions() -> Iterator[Game]:
    """Positions within and between turns of random games: every set of chapters that is listed, and every power against the next."""
    starts = [
        Game(chapters=chapters, edition=edition)
        for chapters in CHAPTERS
        for edition in ("2021", "2022")
    ]
    names = [power.name for power in POWERS]
    starts += [
        Game(chapters=CHAPTERS[-1], powers=pair)
        for pair in zip(names, names[1:] + names[:1], strict=True)
    ]
    starts += [
        Game(max_turns=9),
        Game(timeline="draft_powers", chapters="standard", power_set="tempo"),
    ]
    for number, start in enumerate(starts):
        for step, game in enumerate(random_game(start, number)):
            if game.result is None and step % 7 == 0:
                yield game


@pytest.mark.slow
def test_it_finds_the_wins_that_alpha_beta_proves_and_no_others() -> None:
    alphabeta = Searcher(evaluator=new_evaluator(knows_endgames=False))
    found = {(attacks, won): 0 for attacks in (False, True) for won in (False, True)}
    for game in positions():
        searcher, mover = ProofSearcher(4, 12), game.players.index(game.to_act)
        score = alphabeta.search(game.state, depth=4).score
        end = turns_to_end(score)
        for attacker in range(2):
            attacks = attacker == mover
            won = end is not None and (score > 0) == attacks
            claimed = searcher.winning_turn(game.state, attacker, 3 if attacks else 4) is not None
            assert claimed == won, f"{game.position}: {game.players[attacker]}"
            found[attacks, won] += 1
    assert min(found.values()) > 10, found


@pytest.mark.slow
def test_what_is_known_of_a_position_is_known_of_its_images() -> None:
    game = Game(
        position="W..D/.IO./..../L..B|W..D/..O./.BW./L..B|W..D/..O./..../L..B GIM b c NF - 3/3 b -w-/--b -/- 12"
    )
    searcher, attacker = ProofSearcher(5, 16), game.players.index(game.to_act)
    played = []
    for symmetry in [symmetry for symmetry in SYMMETRIES if not symmetry.colours]:
        before = searcher.actions
        searcher.winning_turn(symmetry.states(game.state), attacker, 5)
        played.append(searcher.actions - before)
    first, *others = played
    assert max(others) < first / 4, (
        f"actions played for a position and its {len(others)} images: {played}"
    )


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["2021", "2022"])
@pytest.mark.parametrize(
    "chapters", [chosen for size in range(4) for chosen in combinations(CHAPTERS[-1], size)]
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
        ".*.D/..*./.*.b/L..*|W#.D/..#./.#.#/LW.B|.T.D/..TB/.T../L..^ GM w 1 PN N14 3/4 - ---/--- -/- 17",  # a step takes the one free space
        ".w.B/W.*./..../..B*|.#B./..#./..../.W..|.TB*/...B/.W^./.... G w c PN - 1/0 - ---/--- -/- 39",  # seeds grow on both free spaces
    ],
)
def test_nobody_is_seen_to_live_on_by_a_step_that_the_attacker_can_prevent(position: str) -> None:
    game = Game(position=position)
    assert not cannot_win(game.state, game.players.index(game.to_act), 3)
