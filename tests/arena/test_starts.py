"""The starts of a match's games: no two pairs begin alike, and repeated games are not counted."""

from __future__ import annotations

from pathlib import Path

import pytest

import tkm_env
from tkm_env import GameConfig
from tkm_env.arena.match import Match, standings
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.record_results import RecordedGame, Repeats
from tkm_env.arena.sprt import SPRT
from tkm_env.core.game import BaseGame
from tkm_env.evaluation import evaluate

#: Plays the first legal action, or the one of that number.
STEADY = """
class Steady:
    def __init__(self, *, number: int = 0) -> None:
        self.number = number

    def act(self, game):
        legal = game.legal_actions()
        return legal[self.number % len(legal)]
"""


@pytest.fixture
def steady(tmp_path: Path) -> str:
    path = tmp_path / "steady.py"
    path.write_text(STEADY, "utf-8")
    return f"{path}:Steady"


def test_players_without_randomness_play_as_many_different_games_as_are_counted(
    steady: str,
) -> None:
    config = GameConfig(max_turns=8)
    match = Match(
        steady,
        f"{steady}:number=1",
        360,
        config,
        seed=5,
        opening_turns=2,
        conditions=Conditions(trust=True),
    )
    repeats = Repeats()
    assert all(repeats.is_new(RecordedGame.of(record)) for record in match.play())


def test_games_that_repeat_others_are_not_counted(steady: str) -> None:
    match = Match(
        steady,
        f"{steady}:number=1",
        20,
        GameConfig(max_turns=30),
        5,
        opening_turns=0,
        conditions=Conditions(trust=True),
    )
    records = list(match.play())
    first, second = standings(records, match)
    assert (first.games, first.repeated, second.repeated) == (2, 18, 18)
    assert first.pairs.games == 2
    assert first.pairs.score.high - first.pairs.score.low > 0.5
    decided = list(match.play(sprt=SPRT(-5, 5)))
    assert len(decided) == 20, "one pair of games decides no test, however often it is played"


def test_a_player_against_itself_is_even_from_every_start(steady: str) -> None:
    """The games of a pair are the same one, with the two in each other's place."""
    match = Match(
        steady, steady, 20, GameConfig(max_turns=30), 5, conditions=Conditions(trust=True)
    )
    first, _ = standings(list(match.play()), match)
    assert (first.pairs.counts, first.repeated) == ((0, 0, 10, 0, 0), 0)


def test_an_evaluation_begins_where_a_match_does() -> None:
    starts: list[BaseGame] = []

    class Watching:
        name = "watching"

        def act(self, game: BaseGame) -> int:
            if not game.history:
                starts.append(game.copy())
            return game.legal_actions()[0]

    evaluate(Watching(), Watching(), games=6, seed=4, opening_turns=3, chapters="growth")
    fixtures = [
        *Match(
            "random",
            "random",
            6,
            seed=4,
            opening_turns=3,
            config=tkm_env.GameConfig(chapters="growth"),
        ).fixtures()
    ]
    assert {game.position for game in starts} >= {fixture.begin().position for fixture in fixtures}
