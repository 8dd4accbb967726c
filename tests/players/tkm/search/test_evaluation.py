"""The evaluation and its terms."""

from __future__ import annotations

from tests.cases import each_setting
from tests.players.tkm.search.helpers import MORE, joined, positions, terms
from tkm_env import Game
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players.tkm.search.evaluation_terms import TERMS


@each_setting
def test_the_evaluation_is_the_same_under_every_symmetry(chapters: tuple[str, ...]) -> None:
    states = joined(positions(chapters, "2021", 4 * MORE))
    for symmetry in SYMMETRIES:
        assert (terms(states) == terms(symmetry.states(states))).all()


@each_setting
def test_the_sides_terms_are_opposite_where_they_are_differences(chapters: tuple[str, ...]) -> None:
    states = joined(positions(chapters, "2021", 4 * MORE))
    passed = states.copy()
    passed["to_act"] = 1 - states["to_act"]
    differences = [index for index, term in enumerate(TERMS) if term.is_difference]
    assert (terms(states)[:, differences] == -terms(passed)[:, differences]).all()


def test_terms_count_what_they_say() -> None:
    game = Game(
        position=(
            "W.../..../.W../...B|..../...B/..../....|"
            "..../..../..../W..B - w c PF - 2/4 - ---/--- -/- 9"
        )
    )
    counted = dict(zip((term.name for term in TERMS), terms(game._states)[0].tolist(), strict=True))
    assert {name: count for name, count in counted.items() if count} == {
        "tempo": 1,
        "eras": -1,
        "lone copies": -2,
        "edge copies": -1,
        "centre copies": 1,
        "past copies": 1,
        "supply": -2,
        "choice": 1,
    }


def test_a_copy_at_the_edge_is_attacked_from_where_it_can_be_pushed_over_it() -> None:
    attacked = Game(
        position=(
            "..../..../..WB/....|..../..../..../...B|"
            "..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9"
        )
    )
    safe = Game(
        position=(
            "W.../..../...B/....|..../..../..../...B|"
            "..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9"
        )
    )
    attacks = [term.name for term in TERMS].index("attacks")
    assert terms(attacked._states)[0, attacks] == 1
    assert terms(safe._states)[0, attacks] == 0
