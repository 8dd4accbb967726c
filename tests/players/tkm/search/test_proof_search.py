"""The search of proofs: it finds what alpha-beta proves, in every chapter and with every power, and
images share what is known.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.games.tkm.positions import random_game
from tkm_env import Game
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players.tkm.search.alphabeta import Searcher, turns_to_end
from tkm_env.players.tkm.search.evaluation import new_evaluator
from tkm_env.players.tkm.search.proof_search import ProofSearcher

CHAPTERS = ("standard", "growth", "influence", "memory", ("growth", "influence", "memory"))


def positions() -> Iterator[Game]:
    """Positions within and between turns of random games: every set of chapters that is listed, and
    every power against the next.
    """
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
        position=(
            "W..D/.IO./..../L..B|W..D/..O./.BW./L..B|"
            "W..D/..O./..../L..B GIM b c NF - 3/3 b -w-/--b -/- 12"
        )
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
