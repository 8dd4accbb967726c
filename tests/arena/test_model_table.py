"""The table of language models: what was illegal, what it cost, and what a prompt changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.arena.results_files import finished, written
from tkm_env.arena.rating import fit
from tkm_env.arena.record_results import Results
from tkm_env.arena.report.json_report import report_as_json
from tkm_env.arena.report.model_table import ModelTable, ModelUse
from tkm_env.arena.report.report import Report
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.report_page import page
from tkm_env.arena.report.report_tables import report_as_markdown
from tkm_env.evaluation.score import share_of

USUAL = {
    "model": "m",
    "retries": 2,
    "legal": "listed",
    "history": "last",
    "style": "english",
    "rename": None,
}
PLAYERS: dict[str, dict[str, Any]] = {
    "llm:m": USUAL,
    "llm:m:legal=none": USUAL | {"legal": "none"},
    "llm:m:rename=3": USUAL | {"rename": 3},
    "llm:n:rename=3": USUAL | {"rename": 3, "model": "n"},
}


def answer(
    ply: int, refused: str | None = None, end: str = "stop", tokens: tuple[int, int] = (1000, 10)
) -> dict[str, Any]:
    return {
        "ply": ply,
        "text": "TURN: 1",
        "end": end,
        "tokens": [*tokens],
        "model": "m-2026",
        "refused": refused,
    }


def said(player: str, *answers: dict[str, Any]) -> dict[str, Any]:
    return {"asked": PLAYERS[player], "prompt": "0123456789abcdef", "answers": [*answers]}


#: The first answer is illegal, the next one no turn and cut off, the third one is played; then the
#: model refuses once.
TALK = (
    answer(1, "illegal"),
    answer(1, "protocol", "length", (2000, 90)),
    answer(1),
    answer(5, "protocol", "refusal", (1000, 0)),
    answer(5),
)


def report_of(path: Path, games: list[dict[str, Any]]) -> Report:
    builder = ReportBuilder()
    assert list(builder.read(written(path / "games.jsonl", games)))
    return builder.report()


def games() -> list[dict[str, Any]]:
    """Each language model against random, in pairs; some games are lost by a fault."""
    played = []
    for number, player in enumerate(PLAYERS):
        for pair in range(3):
            seed = 2 * (10 * number + pair)
            fault = "white" if pair == number == 1 else "black" if pair == 0 else None
            played.append(
                finished(
                    player, "random", seed=seed, fault=fault, models={"white": said(player, *TALK)}
                )
            )
            played.append(
                finished("random", player, seed=seed + 1, models={"black": said(player, answer(4))})
            )
    return played


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report_of(tmp_path_factory.mktemp("models"), games())


def models_of(report: Report) -> ModelTable:
    return report.sections[0].models


def use_of(report: Report, player: str) -> ModelUse:
    return next(use for use in models_of(report).uses if use.player == player)


def test_answers_turns_and_tokens_are_counted(report: Report) -> None:
    use = use_of(report, "llm:m")
    assert use.turns == 3 * 3
    assert use.retries == pytest.approx(3 * 3 / 9)
    assert use.illegal.share == pytest.approx(3 / 18)
    assert use.no_turn.share == pytest.approx(6 / 18)
    assert use.tokens_in == pytest.approx(3 * 7000 / 9)
    assert use.tokens_out == pytest.approx(3 * 130 / 9)
    assert (use.cut_off, use.refused) == (3, 3)
    assert (use.models, use.prompts) == (("m-2026",), ("0123456789abcdef",))
    assert use.flaws == ()


def test_what_the_server_does_not_count_is_unknown_and_flaws_are_listed(tmp_path: Path) -> None:
    answers = (
        answer(1, "protocol") | {"tokens": [None, 7], "flaw": "form"},
        answer(1, "illegal") | {"flaw": "unfinished"},
        answer(1, "protocol") | {"flaw": "form"},
    )
    game = finished("llm:m", "random", fault="white", models={"white": said("llm:m", *answers)})
    report = report_of(tmp_path, [game])
    (use,) = models_of(report).uses
    assert (use.tokens_in, use.tokens_out) == (None, 27)
    assert use.flaws == ("form 2", "unfinished 1")
    assert "unknown" in page(report, "Cup")
    assert "form 2, unfinished 1" in page(report, "Cup")
    assert "<i>unfinished</i>: legal actions that do not end the turn." in page(report, "Cup")
    assert report_as_json(report)["sections"][0]["models"][0]["tokens_in"] is None


def test_how_a_player_is_asked_is_told_where_it_is_unusual(report: Report, tmp_path: Path) -> None:
    assert use_of(report, "llm:m:rename=3").asked == ("retries=2", "rename=3")
    assert "with <bdi>retries=2, rename=3</bdi>" in page(report, "Cup")
    asked = {"tool": "play", "trials": 3, "legal": "listed", "style": "terse", "rename": None}
    calls = answer(1) | {"model": "", "tokens": [None, None], "end": "tool_calls"}
    said = {"asked": asked, "prompt": "0123456789abcdef", "answers": [calls]}
    own = report_of(tmp_path, [finished("tools", "random", models={"white": said})])
    (use,) = models_of(own).uses
    assert (use.asked, use.models) == (("tool=play", "trials=3", "style=terse"), ())
    assert (use.tokens_in, use.tokens_out) == (None, None)


def test_shares_have_intervals_by_start(report: Report) -> None:
    rows = [
        (game.start, row["refused"] == "illegal")
        for game in report.games
        for side, conversation in game.record["models"].items()
        if game.record["players"][side] == "llm:m"
        for row in conversation["answers"]
    ]
    assert use_of(report, "llm:m").illegal == share_of(rows)
    values = [True] * 4 + [False] * 16
    shared, alone = (
        share_of([(number // size, value) for number, value in enumerate(values)])
        for size in (4, 1)
    )
    assert shared.high - shared.low > 1.5 * (alone.high - alone.low), (
        "answers from the same start say less than others"
    )
    assert share_of([]).low < 0.01 < 0.99 < share_of([]).high


def test_ratings_are_also_those_of_the_games_that_no_fault_ended(
    report: Report, tmp_path: Path
) -> None:
    results = Results()
    assert list(results.read(written(tmp_path / "games.jsonl", games())))
    clean = fit([game for game in results.games() if not game.by_fault])
    for use in models_of(report).uses:
        assert use.elo == report.sections[0].whole.ratings.of(use.player).elo
        assert use.without_faults == pytest.approx(clean.of(use.player).elo), use.player
        assert use.without_faults != use.elo
    assert [use.player for use in models_of(report).uses] == [
        rating.player
        for rating in report.sections[0].whole.ratings.players
        if rating.player in PLAYERS
    ]


def test_without_a_game_that_no_fault_ended_there_is_no_such_rating(tmp_path: Path) -> None:
    lost = [
        finished(
            "llm:m", "random", seed=seed, fault="white", models={"white": said("llm:m", TALK[0])}
        )
        for seed in (2, 4)
    ]
    (use,) = models_of(report_of(tmp_path, lost)).uses
    assert use.without_faults is None
    assert use.illegal.share == 1


def test_a_prompt_is_compared_with_one_that_differs_in_one_thing(report: Report) -> None:
    ratings = report.sections[0].whole.ratings
    found = {(effect.player, effect.against): effect for effect in models_of(report).effects}
    assert {names: effect.what for names, effect in found.items()} == {
        ("llm:m", "llm:m:legal=none"): "legal turns listed instead of left out",
        ("llm:m", "llm:m:rename=3"): "the game's own words instead of invented ones",
    }
    for names, effect in found.items():
        assert effect.elo == ratings.difference(*names)
        assert effect.without_faults is not None
        assert effect.without_faults != effect.elo


def test_the_table_stands_in_every_form(report: Report) -> None:
    markdown, html, content = (
        report_as_markdown(report, "Cup"),
        page(report, "Cup"),
        report_as_json(report)["sections"][0],
    )
    assert "| `llm:m` | " in markdown.partition("## Language models")[2]
    assert "| 16.7% (" in markdown
    assert "legal turns listed instead of left out" in markdown
    assert '<h2 id="models">Language models</h2>' in html
    assert "legal turns listed instead of left out" in html
    assert content["models"][0]["illegal"] == models_of(report).uses[0].illegal._asdict()
    assert content["prompts"][0]["elo"] == models_of(report).effects[0].elo._asdict()


def test_without_language_models_there_is_no_table(tmp_path: Path) -> None:
    report = report_of(tmp_path, [finished("a", "b")])
    assert models_of(report) == ModelTable()
    assert "Language models" not in report_as_markdown(report, "Cup") + page(report, "Cup")


def test_records_of_others_may_say_anything_of_what_was_asked(tmp_path: Path) -> None:
    strange = ({"legal": ["x"]}, {"legal": "x"}, {"rename": {}}, {"legal": None}, {})
    played = [
        finished(
            f"p{number}",
            "random",
            seed=2 * number,
            models={"white": said("llm:m", *TALK) | {"asked": asked}},
        )
        for number, asked in enumerate(strange)
    ]
    table = models_of(report_of(tmp_path, played))
    assert len(table.uses) == len(strange)
    assert {effect.what for effect in table.effects} <= {
        "the game's own words instead of invented ones"
    }
