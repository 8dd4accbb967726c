"""The documents about bots are right: the transcript is a game, and the shortest bot plays.

Every attack is in the table.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.arena.hostile import ATTACKS
from tests.isolation.programs import saved
from tkm_env import Game
from tkm_env.arena.protocol_check import check
from tkm_env.core.registry import game_spec
from tkm_env.isolation.bot_protocol import Begin, End, Go, Play, Quit, parse_answer, parse_request

DOCS = Path(__file__).parents[2] / "docs"
PROTOCOL = (DOCS / "protocol.md").read_text("utf-8")
SANDBOX = (DOCS / "sandbox.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)\n?```", PROTOCOL, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_transcript_is_a_whole_game() -> None:
    """Read each line as printed; positions follow from the actions, the result from the game."""
    asked = [line[2:] for line in block("text").splitlines() if line.startswith("> ")]
    answered = [line[2:] for line in block("text").splitlines() if line.startswith("< ")]
    begin, *requests, end, quit_ = map(parse_request, asked)
    assert [str(line) for line in (begin, *requests, end, quit_)] == asked
    assert [str(parse_answer(line)) for line in answered] == answered
    plays = [answer for answer in map(parse_answer, answered) if isinstance(answer, Play)]
    assert isinstance(begin, Begin)
    assert isinstance(requests[0], Go)
    assert isinstance(quit_, Quit)
    game = Game(game_spec(begin.game).config(begin.config), position=requests[0].position)
    for request, play in zip(requests, plays, strict=True):
        assert isinstance(request, Go)
        for name in request.played[len(game.history) :]:
            game.play(name)
        assert (request.position, request.legal) == (game.position, tuple(game.legal_actions()))
        for action in play.actions:
            assert game.to_act == begin.seat
            game.play(action)
    assert isinstance(end, End)
    assert end.result == game.result


@pytest.mark.slow
def test_the_shortest_bot_passes_every_step(tmp_path: Path) -> None:
    for game in ("tkm", "terminus"):
        assert not [
            f"{step.name}: {error}"
            for step, _, error, _ in check(saved(tmp_path, block("py")), game)
            if error is not None
        ]


def test_every_hostile_bot_is_in_the_table() -> None:
    rows = [line.split("|")[1].strip() for line in SANDBOX.splitlines() if line.count("|") == 4]
    assert {attack.name for attack in ATTACKS} <= {*rows}
