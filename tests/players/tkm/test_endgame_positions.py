"""Endgames drawn from the table: right, different from each other, and split without leaks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.players.tkm.search.endgame_positions import follows_from_neighbours, random_endgame
from tkm_env import ConfigError, Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players.solved_positions import SPLITS, preference, result_of
from tkm_env.players.tkm.endgame_positions import draw_endgames, endgame_split, solve
from tkm_env.players.tkm.search.endgames import known_outcome

COUNT = 150 if COMPILES else 30


@pytest.fixture(scope="module", params=SPLITS)
def drawn(request: pytest.FixtureRequest) -> tuple[str, list[tuple[Game, int]]]:
    found = draw_endgames(2, request.param, COUNT, seed=3)
    return request.param, [(Game(position=solved.position), solved.outcome) for solved in found]


def images(game: Game) -> set[str]:
    """The texts of all images of a position."""
    return {
        Game.from_state(symmetry.states(game.state)).position
        for symmetry in SYMMETRIES[: len(SYMMETRIES) // 2]
    }


def test_outcomes_are_those_that_follow_from_the_rules(
    drawn: tuple[str, list[tuple[Game, int]]],
) -> None:
    for game, outcome in drawn[1][:20]:
        assert follows_from_neighbours(game) == known_outcome(game.state) == outcome, game.position


def test_the_outcome_of_each_turn_follows_from_where_it_leads() -> None:
    for solved in draw_endgames(2, "test", 10, seed=1):
        game = Game(position=solved.position)
        ends = {turn.after.position: turn.after for turn in game.turns()}
        assert len(ends) == len(solved.turns)
        for (_, after), outcome in zip(sorted(ends.items()), solved.turns, strict=True):
            if after.result is not None:
                assert (outcome, after.result) == (1, {"white": "1-0", "black": "0-1"}[game.to_act])
            else:
                follows = follows_from_neighbours(after)
                assert outcome == (follows + 1 if follows else 0), after.position
        assert max(solved.turns, key=preference) == solved.outcome
        assert len({*solved.turns}) > 1, "some turn is better than another"


def test_no_position_is_an_image_of_another(drawn: tuple[str, list[tuple[Game, int]]]) -> None:
    seen = Counter(min(images(game)) for game, _ in drawn[1])
    assert seen.total() == COUNT
    assert max(seen.values()) == 1, seen.most_common(1)


def test_every_outcome_is_drawn_alike_and_a_fifth_are_open(
    drawn: tuple[str, list[tuple[Game, int]]],
) -> None:
    outcomes = Counter(outcome for _, outcome in drawn[1])
    assert outcomes[0] / COUNT == pytest.approx(0.2, abs=0.08)
    assert outcomes[3] == pytest.approx(outcomes[10], abs=1)
    assert {result_of(outcome) for outcome in outcomes} == {-1, 0, 1}
    assert {game.to_act for game, _ in drawn[1]} == {"white", "black"}


def test_positions_belong_to_the_split_that_was_asked_for(
    drawn: tuple[str, list[tuple[Game, int]]],
) -> None:
    assert {endgame_split(game) for game, _ in drawn[1]} == {drawn[0]}


def test_all_images_of_a_board_are_in_the_same_split_whatever_the_foci_and_the_side() -> None:
    generator, splits = np.random.default_rng(5), Counter[str]()
    for game in (random_endgame(generator) for _ in range(60)):
        boards, _, side, _, focus, rest = game.position.split(" ", 5)
        other = {"w": "b", "b": "w"}[side]
        found = {endgame_split(Game(position=text)) for text in images(game)}
        # With another side and foci the first step may be another one.
        for step in "cf":
            try:
                text = f"{boards} - {other} {step} {focus[::-1]} {rest}"
                found.add(endgame_split(Game(position=text)))
            except ValueError:
                continue
        (split,) = found
        splits[split] += 1
    assert 0 < splits["test"] < 20


def test_the_same_seed_draws_the_same_positions() -> None:
    one, two, other = (list(draw_endgames(2, "test", 20, seed)) for seed in (1, 1, 2))
    assert one == two != other


def test_a_position_outside_the_table_is_not_solved() -> None:
    with pytest.raises(ConfigError, match="the table of endgames does not have it"):
        solve(Game())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((1, "test", 10, 1), "copies"),
        ((4, "test", 10, 1), "copies"),
        ((2, "validation", 10, 1), "split"),
        ((2, "test", 0, 1), "count"),
        ((2, "test", 10, -1), "seed"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments: tuple[int, str, int, int], named: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{named}="):
        draw_endgames(*arguments)


def test_three_copies_need_their_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TKM_TABLES", raising=False)
    with pytest.raises(ConfigError, match=r"^copies=3.*TKM_TABLES must name the folder"):
        draw_endgames(3, "test", 10, 1)
