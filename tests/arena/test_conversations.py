"""A replay of a match shows what a language model was sent."""

from __future__ import annotations

import json

import pytest

from tests.text.chat_server import completion, serving
from tkm_env import GameConfig
from tkm_env.arena.match import Match
from tkm_env.text.conversation import replay_with_conversations


@pytest.mark.usefixtures("chat_key")
@pytest.mark.parametrize(
    "options",
    ["", ",legal=none,rename=4", ",history=all,style=terse,turned=3,eras=1,layout=2,numbers=3"],
)
@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_a_replay_shows_what_the_server_was_sent(game: str, options: str) -> None:
    pytest.importorskip("openai", reason="needs the extra [llm]")
    lines = iter(["I wonder.", "TURN: 1", "TURN: go", "TURN: 1", *["TURN: 1"] * 100])
    settings = GameConfig(max_turns=5) if game == "tkm" else None
    with serving(lambda asked, handler: next(lines)) as server:
        match = Match(
            f"llm:m:base_url={server.url}{options}", "random", 2, settings, seed=5, game=game
        )
        record = next(match.play())
    notes = replay_with_conversations(record).notes
    shown = [(here[0].text, here[1].text) for here in notes.values()]
    sent = [tuple(message["content"] for message in asked["messages"]) for asked in server.asked]
    assert shown == [messages for messages in sent if len(messages) == 2]
    _, _, answered, refused, *_ = next(iter(notes.values()))
    assert answered.text == sent[1][2] == "I wonder."
    assert refused.heading == "refused: protocol (form)"
    assert refused.text in sent[1][3]
    assert not any(prompt in json.dumps(record) for prompt in ("You play", "legal turns"))


@pytest.mark.usefixtures("chat_key")
def test_a_refused_tool_call_is_explained() -> None:
    pytest.importorskip("openai", reason="needs the extra [llm]")
    call = {"id": "1", "function": {"name": "play", "arguments": '{"turn": 999}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    with serving(lambda asked, handler: completion("", asked, message=message)) as server:
        line = f"llm:m:retries=0,base_url={server.url}"
        record = next(Match(line, "random", 2, GameConfig(max_turns=5), seed=5).play())
    (*_, said, refused) = next(iter(replay_with_conversations(record).notes.values()))
    assert '"arguments"' in said.text
    assert refused.heading == "refused: illegal (unknown name)"
    assert "There is no turn 999" in refused.text
