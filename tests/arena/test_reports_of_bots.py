"""What bots report about positions, from their lines to records, replays and a league's pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.arena.league.leagues import small_league
from tests.arena.league.test_league import client_of
from tests.arena.results_files import finished, written
from tests.isolation.programs import HONEST, saved
from tkm_env import GameConfig, RecordError
from tkm_env.arena.match import Match
from tkm_env.arena.report.game_replay import replay_with_reports
from tkm_env.core.record_files import from_record

TALKING = HONEST.replace(
    'elif line.startswith("go"):',
    'elif line.startswith("go"):\n'
    '        print("info depth 1 score 0.5")\n'
    '        print("info score -0.25 and more")\n'
    '        print("info nothing")',
)


def test_what_a_bot_reports_is_in_the_record_and_in_the_replay(tmp_path: Path) -> None:
    match = Match(saved(tmp_path, TALKING), "random", games=2, config=GameConfig(max_turns=4))
    first, second = match.play()
    for record in (first, second):
        game = from_record(record)
        assert len(record["reports"]) == len(game.history)
        replayed = game.start.copy()
        for ply, (action, report) in enumerate(zip(game.history, record["reports"], strict=True)):
            is_talking = record["players"][replayed.to_act] != "random"
            assert report == ({"depth": 1, "score": -0.25} if is_talking else None)
            notes = replay_with_reports(record).notes.get(ply, ())
            assert [note.heading.partition(": ")[2] for note in notes] == (
                ["score -0.25, depth 1"] if is_talking else []
            )
            replayed.play(action)


def test_an_agent_in_a_file_reports_the_result_that_it_expects(tmp_path: Path) -> None:
    act = "    def act(self, game):\n        return game.legal_actions()[0]\n"
    bot = f"class Bot:\n    expectation = {{}}\n{act}"
    for told, reported in (("0.25", {"score": 0.25}), ("-1", {"score": -1.0}), ("'much'", None)):
        (tmp_path / "bot.py").write_text(bot.format(told), "utf-8")
        match = Match(
            f"{tmp_path / 'bot.py'}:Bot", "random", games=2, config=GameConfig(max_turns=4)
        )
        for record in match.play():
            assert ("reports" in record) == (reported is not None)
            found = [report for report in record.get("reports", ()) if report is not None]
            assert all(report == reported for report in found)


def test_records_of_bots_that_report_nothing_are_as_before(tmp_path: Path) -> None:
    config = GameConfig(max_turns=4)
    record, _ = Match(saved(tmp_path, HONEST), "random", games=2, config=config).play()
    assert "reports" not in record


@pytest.mark.parametrize(
    "report",
    [{}, {"score": 2}, {"score": "0"}, {"depth": -1}, {"depth": 1.5}, {"depth": True}, {"x": 1}, 0],
    ids=str,
)
def test_what_is_no_report_is_refused(report: Any) -> None:
    record = finished("ann", "bob")
    reports = [report, *[None] * (len(record["actions"]) - 1)]
    with pytest.raises(RecordError, match="reports"):
        from_record({**record, "reports": reports})
    with pytest.raises(RecordError, match="reports"):
        from_record({**record, "reports": [None]})


def test_a_league_draws_the_scores_of_a_game(tmp_path: Path) -> None:
    league = small_league(tmp_path / "league")
    plain = finished("ann", "bob", seed=2, fault="black")
    reports = [{"score": 0.5}] + [None] * (len(plain["actions"]) - 1)
    written(league.games_of(league.store.season()), [{**plain, "reports": reports}])
    text = client_of(league).get("/tables/season-1/games/1").text
    assert "from a loss (\u22121) to a win (1) of white" in text
    assert '<polyline points="0.0,60.0"/>' in text
