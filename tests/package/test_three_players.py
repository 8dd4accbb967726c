"""One model as three players, plain, shuffled and with tools: they come out in one report."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.text.chat_server import serving
from tkm_env import GameConfig, write_record
from tkm_env.arena.match import Match
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.report_tables import report_as_markdown
from tkm_env.play.session import Session, settings_for_people
from tkm_env.text import TextOptions

#: The most turns of a game, and the number of games of each player.
TURNS, GAMES = 4, 8
TOOLS = "m with tools"
SHUFFLED = ",turned=1,eras=1,layout=1,numbers=1"


def model() -> Callable[[dict[str, Any], Any], str]:
    """A model with known faults, which plays the first legal turn otherwise.

    Every fourth answer to the usual prompt is illegal; every second one has no turn where spaces
    have other numbers.
    """
    usual, shuffled = itertools.count(1), itertools.count(1)

    def answer(asked: dict[str, Any], _: Any) -> str:
        if "1 to 4 is the north row" in asked["messages"][0]["content"]:
            return "TURN: 1" if next(usual) % 4 else "TURN: draft 1"
        return "TURN: 1" if next(shuffled) % 2 else "I cannot tell."

    return answer


def played_with_tools() -> list[dict[str, Any]]:
    """The records of games in which each turn is tried out before it is played."""
    from tests.play.test_tool_server import with_client
    from tkm_env.core.registry import game_spec
    from tkm_env.play.tool_server import ToolSession, tool_server

    spec, kept = game_spec("tkm"), list[dict[str, Any]]()
    settings = settings_for_people(spec, {"max_turns": TURNS}, "random")
    sides = itertools.cycle(spec.players)
    session = ToolSession(
        lambda number: Session(spec, settings, opponent="random", side=next(sides), seed=number),
        TextOptions(),
        kept.append,
        trials=1,
        name=TOOLS,
    )

    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        while len(kept) < GAMES:
            while await call("legal_turns"):
                assert "Nothing was played" in await call("try_out", turn=1)
                await call("play", turn=1)
            await call("new_game")

    with_client(tool_server(session, TextOptions()), act)
    return kept


@pytest.mark.usefixtures("chat_key")
def test_three_players_of_a_model_come_out_in_one_report(tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="needs the extra [llm]")
    pytest.importorskip("mcp", reason="needs the extra [mcp]")
    games = tmp_path / "games.jsonl"
    with serving(model()) as server:
        plain = f"llm:m:base_url={server.url}"
        for player in (plain, plain + SHUFFLED):
            settings = GameConfig(max_turns=TURNS)
            match = Match(
                player, "random", GAMES, settings, seed=1, conditions=Conditions(turn_seconds=None)
            )
            for record in match.play():
                write_record(games, record)
    for record in played_with_tools():
        write_record(games, record)
    builder = ReportBuilder()
    assert list(builder.read(games))
    report = builder.report()
    (section,) = report.sections
    shuffled = plain + SHUFFLED
    names = {rating.player for rating in section.whole.ratings.players}
    assert names == {plain, shuffled, TOOLS, "random"}, "and no second version of any"
    uses = {use.player: use for use in section.models.uses}
    assert {*uses} == {plain, shuffled, TOOLS}
    assert uses[TOOLS].tokens_in is None, "what a client asks its model is not known"
    assert uses[TOOLS].illegal.share == uses[TOOLS].no_turn.share == uses[TOOLS].retries == 0
    assert uses[plain].illegal.share == pytest.approx(1 / 4, abs=0.1)
    assert uses[plain].no_turn.share == 0
    assert uses[shuffled].illegal.share == 0
    assert uses[shuffled].no_turn.share == pytest.approx(1 / 2, abs=0.1)
    assert uses[shuffled].retries == pytest.approx(1, abs=0.2)
    markdown = report_as_markdown(report, "One model")
    assert all(f"| `{name}` |" in markdown for name in names)
