"""Games that the referee ends early, since both players' scores agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.arena.results_files import written
from tkm_env import ConfigError, Game, RecordError, TerminusGame
from tkm_env.arena.match import Match
from tkm_env.arena.playing.adjudication import Adjudication
from tkm_env.arena.playing.referee import Conditions, Player, conduct_game
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.core.game import BaseGame
from tkm_env.core.record_files import from_record

RULE = Adjudication(score=0.9, turns=2, draw=0.1)


class Prophet:
    """Plays the first legal action, and says a score in each turn, the last one for ever."""

    def __init__(self, scores: Sequence[float | None]) -> None:
        self.scores, self.seen = scores, [("", 0)]
        self.expectation: float | None = None

    def act(self, game: BaseGame) -> int:
        if game.turn_id != self.seen[-1]:
            self.seen.append(game.turn_id)
        self.expectation = self.scores[min(len(self.seen) - 2, len(self.scores) - 1)]
        return game.legal_actions()[0]


def ending(
    white: Sequence[float | None],
    black: Sequence[float | None],
    rule: Adjudication | None = RULE,
    game: BaseGame | None = None,
) -> tuple[int, Any]:
    """The number of turns of a game between prophets, and how it was adjudicated."""
    game = Game(max_turns=12) if game is None else game
    conditions = Conditions(adjudication=rule)
    players = {
        side: Player("prophet", game.name, conditions, agent=Prophet(scores))
        for side, scores in zip(game.players, (white, black), strict=True)
    }
    generators = {side: np.random.default_rng(1) for side in players}
    first = game.turn
    measured = conduct_game(game, players, generators, adjudication=rule)
    return game.turn - first, measured.adjudicated and measured.adjudicated["winner"]


@pytest.mark.parametrize(
    ("white", "black", "turns", "winner"),
    [
        ([1], [-1], 4, "white"),
        ([-0.9], [0.9], 4, "black"),
        ([0, 0.95, 0.95], [-1], 5, "white"),
        ([1, 0.5, 1, 1], [-1], 7, "white"),
        ([1], [0, 0, -1], 8, "white"),
    ],
)
def test_a_game_ends_once_both_players_agree_in_enough_turns_in_a_row(
    white: list[float | None], black: list[float | None], turns: int, winner: str
) -> None:
    assert ending(white, black) == (turns, winner)


@pytest.mark.parametrize(
    ("white", "black"),
    [
        ([1], [1]),
        ([1], [-0.89]),
        ([1], [None]),
        ([1, None], [-1]),
        ([1, 0], [-1]),
        ([0.1], [0.2]),
        ([-1], [-1]),
    ],
    ids=str,
)
def test_players_that_do_not_agree_play_on(
    white: list[float | None], black: list[float | None]
) -> None:
    game = Game(max_turns=12)
    _, adjudicated = ending(white, black, game=game)
    assert adjudicated is None
    assert game.result is not None


def test_scores_near_zero_draw_a_game_only_where_that_is_wanted_and_possible() -> None:
    game = Game(max_turns=12)
    conditions = Conditions(adjudication=RULE)
    players = {
        side: Player("prophet", "tkm", conditions, agent=Prophet([0.1])) for side in game.players
    }
    generators = {side: np.random.default_rng(1) for side in players}
    drawn = conduct_game(game, players, generators, adjudication=RULE)
    assert drawn.adjudicated is not None
    record = game.to_record(**drawn._asdict())
    assert record["result"] == "1/2"
    assert record["adjudicated"]["winner"] is None
    assert from_record(record).turn == 5
    assert ending([0.1], [0.1], Adjudication(score=0.9, turns=2))[1] is None
    assert ending([0.1], [0.1], game=TerminusGame(seed=1))[1] is None


def test_nothing_is_adjudicated_or_reported_by_default(tmp_path: Path) -> None:
    bot = "class Bot:\n    expectation = 1.0\n    def act(self, game):\n        return {}\n"
    (tmp_path / "bot.py").write_text(bot.format("game.legal_actions()[0]"), "utf-8")
    line = f"{tmp_path / 'bot.py'}:Bot"
    for record in Match(line, line, 2, conditions=Conditions(trust=True)).play():
        assert not {"adjudicated", "reports"} & record.keys()


def test_an_adjudicated_match_is_counted_and_can_be_read_and_rated(tmp_path: Path) -> None:
    say = "    def act(self, game):\n        return game.legal_actions()[0]\n"
    for name, score in (("sure", 1.0), ("hopeless", -1.0)):
        (tmp_path / f"{name}.py").write_text(
            f"class Bot:\n    expectation = {score}\n{say}", "utf-8"
        )
    lines = [f"{tmp_path / name}.py:Bot" for name in ("sure", "hopeless")]
    conditions = Conditions(trust=True, adjudication=Adjudication(turns=2))
    records = [*Match(*lines, 4, opening_turns=2, seed=2, conditions=conditions).play()]
    for record in records:
        side = next(side for side, name in record["players"].items() if "sure" in name)
        assert record["adjudicated"]["winner"] == side
        assert record["adjudicated"]["seen"].count("reported 1, 1") == 1
        game = from_record(record)
        assert game.result is None
        assert game.turn == 7
    builder = ReportBuilder()
    assert [*builder.read(written(tmp_path / "games.jsonl", records))]
    (section,) = builder.report().sections
    assert section.whole.adjudicated == 4
    assert "sure" in section.whole.ratings.players[0].player


def test_a_record_whose_adjudication_does_not_fit_is_refused() -> None:
    game = Game(max_turns=2)
    actions = game.legal_actions()
    game.play(actions[0])
    fits = {"winner": "black", "seen": "both said so"}
    assert game.to_record(adjudicated=fits)["result"] == "0-1"
    for wrong in (
        {"winner": "red", "seen": "x"},
        {"winner": "white"},
        "white",
        {**fits, "seen": 5},
    ):
        with pytest.raises(RecordError, match="adjudicated"):
            game.to_record(adjudicated=wrong)
    fault = {"player": "white", "kind": "crash", "ply": 2, "seen": "x"}
    with pytest.raises(RecordError, match="the game is over with a fault"):
        game.to_record(adjudicated=fits, fault=fault)
    while game.result is None:
        game.play(game.legal_actions()[0])
    with pytest.raises(RecordError, match=r"the game is over without it, \*"):
        game.to_record(adjudicated=fits)
    with pytest.raises(RecordError, match="terminus has no result 1/2"):
        TerminusGame(seed=1).to_record(adjudicated={**fits, "winner": None})


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("score=0", "score"),
        ("score=1.5", "score"),
        ("score=0.9,turns=0", "turns"),
        ("turns=2.5", "turns"),
        ("score=0.5,draw=0.5", "draw"),
        ("draw=-0.1", "draw"),
        ("never", "adjudicate"),
        ("plies=3", "adjudicate"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong):
        Adjudication.from_text(text)


def test_a_rule_is_written_as_text() -> None:
    assert Adjudication.from_text("turns=4, draw=0.02") == Adjudication(0.95, 4, 0.02)
    assert Adjudication.from_text("score=1") == Adjudication(1)
