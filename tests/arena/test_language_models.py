"""Language models as players: whatever the server does, the promised fault or wait follows.

No answer is paid for twice.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.text.chat_server import FIRST, KEY, ChatServer, Handler, completion, says, serving
from tkm_env import ConfigError, FileError, Game, GameConfig, MachineError
from tkm_env.arena.match import Match
from tkm_env.arena.playing.referee import Conditions
from tkm_env.core.record_files import from_record
from tkm_env.text import TextOptions, chat, digest
from tkm_env.text.paid_answers import Budget, PaidAnswers

pytest.importorskip("openai", reason="needs the extra [llm]")

pytestmark = pytest.mark.usefixtures("chat_key")

RETRIED = "ignore:.*tried again:RuntimeWarning"


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits are short."""
    monkeypatch.setattr(chat, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(chat, "_LONGEST_PAUSE", 0.02)
    monkeypatch.setattr("tkm_env.arena.playing.retries.PAUSES", (0.01,) * 7)


#: How servers say that a model knows no system messages.
NO_SYSTEM = (
    "System role not supported",
    "Conversation roles must alternate user/assistant/user/assistant/...",
    "Developer instruction is not enabled for models/gemma-3-27b-it",
    "Only user, assistant and tool roles are supported, got system",
    "This model does not support system messages",
)


def match(
    server: ChatServer, options: str = "", games: int = 2, max_turns: int = 4, **conditions: Any
) -> Match:
    line = f"llm:scripted:base_url={server.url}{options}"
    return Match(
        line,
        "random",
        games,
        GameConfig(max_turns=max_turns),
        seed=5,
        opening_turns=2,
        conditions=Conditions(**conditions),
    )


def side_of(record: dict[str, Any]) -> str:
    """The side of the language model."""
    return next(side for side, name in record["players"].items() if name.startswith("llm:"))


def test_records_say_what_was_asked_and_answered() -> None:
    with serving(says("It is late.", FIRST)) as server:
        records = [*match(server, ",legal=listed,temperature=0.5,max_tokens=90").play()]
    assert [record.get("fault") for record in records] == [None, None]
    first = records[0]["models"]
    assert [*first] == [side_of(records[0])]
    said = first[side_of(records[0])]
    expected = {
        "model": "scripted",
        "temperature": 0.5,
        "max_tokens": 90,
        "legal": "listed",
        "rename": None,
        "retries": 2,
    }
    assert said["asked"] == {**said["asked"], **expected}
    assert said["prompt"] == digest(Game, TextOptions())
    refused, played, *_ = said["answers"]
    assert refused == {
        **refused,
        "text": "It is late.",
        "end": "stop",
        "model": "scripted-2026",
        "turn": None,
        "refused": "protocol",
        "flaw": "form",
    }
    assert played == {**played, "ply": refused["ply"], "text": FIRST, "refused": None}
    assert len(played["turn"]) == 4
    assert 0 <= played["seconds"] < 60
    assert played["tokens"][0] > refused["tokens"][0] > 500
    asked = server.asked[1]
    assert [message["role"] for message in asked["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert "neither a JSON object" in asked["messages"][-1]["content"]
    assert (asked["temperature"], asked["max_tokens"], asked["model"]) == (0.5, 90, "scripted")


@pytest.mark.parametrize(
    ("reply", "kind", "seen"),
    [
        ("I resign myself to fate.", "protocol", "neither a JSON object"),
        ("TURN: 999", "illegal", "no turn 999"),
        ("TURN: choose 1", "illegal", "not finished"),
        (None, "protocol", "The reply is empty."),
        ("x" * (1 << 21), "output", "2,097,152 characters"),
    ],
)
def test_a_model_that_brings_no_turn_loses_by_the_promised_fault(
    reply: str | None, kind: str, seen: str
) -> None:
    with serving(lambda asked, handler: completion(reply, asked)) as server:
        record = next(match(server, ",retries=1").play())
    assert record["fault"]["kind"] == kind
    assert seen in record["fault"]["seen"]
    assert record["fault"]["player"] == side_of(record)
    assert len(record["models"][side_of(record)]["answers"]) == (1 if kind == "output" else 2)


def test_a_long_reply_with_a_turn_in_the_end_is_that_turn() -> None:
    with serving(
        says(f'{"I wonder. " * 20_000}\n```json\n{{"turn": 1}}\n```\nGood luck!')
    ) as server:
        assert "fault" not in next(match(server).play())


@pytest.mark.parametrize(
    ("change", "end"),
    [
        ({"finish_reason": "length"}, "length"),
        ({"message": {"content": None, "refusal": "No."}}, "refusal"),
    ],
)
def test_answers_that_were_cut_off_or_refused_are_recorded_as_such(
    change: dict[str, Any], end: str
) -> None:
    with serving(lambda asked, handler: completion('{"turn": ["cho', asked, **change)) as server:
        record = next(match(server).play())
    assert record["fault"]["kind"] == "protocol"
    assert [answer["end"] for answer in record["models"][side_of(record)]["answers"]] == [end] * 3


def drip(asked: dict[str, Any], handler: Handler) -> None:
    """A byte now and then, for ever."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b" ")
        time.sleep(0.05)


@pytest.mark.parametrize("model", [lambda asked, handler: time.sleep(3), drip])
def test_an_answer_that_is_late_is_a_timeout(model: Callable[..., None]) -> None:
    with serving(model) as server:
        record = next(match(server, turn_seconds=0.3).play())
    assert record["fault"]["kind"] == "timeout"


@pytest.mark.filterwarnings(RETRIED)
def test_a_game_is_played_again_if_the_network_is_down_until_the_clock_runs_out(
    pauses: None,
) -> None:
    with serving(says(FIRST)) as server:
        played = match(server, turn_seconds=0.5)
        expected = [record["actions"] for record in played.play()]
        port = server.server_address[1]
    over = threading.Event()

    def restart() -> None:
        with serving(says(FIRST), port):
            over.wait()

    timer = threading.Timer(1.2, restart)
    timer.start()
    records = [*played.play()]
    over.set()
    timer.join()
    assert [record["actions"] for record in records] == expected
    assert not any("fault" in record for record in records)


@pytest.mark.filterwarnings(RETRIED)
def test_a_network_that_stays_down_ends_the_match_without_blame(
    pauses: None, tmp_path: Path
) -> None:
    with serving(says(FIRST)) as server:
        played = match(server, turn_seconds=0.1)
    with pytest.raises(MachineError, match="asking scripted"):
        next(played.play(tmp_path / "games.jsonl"))
    assert not (tmp_path / "games.jsonl").exists()


@pytest.mark.parametrize("message", NO_SYSTEM)
def test_a_model_without_a_system_role_is_asked_in_one_message(message: str) -> None:
    def without(asked: dict[str, Any], handler: Handler) -> str | None:
        if asked["messages"][0]["role"] == "system":
            return handler.reply(400, {"error": {"message": message}})
        return FIRST

    with serving(without) as server:
        records = [*match(server).play()]
    assert [record.get("fault") for record in records] == [None, None]
    merged = [asked for asked in server.asked if asked["messages"][0]["role"] == "user"]
    assert len(server.asked) == len(merged) + 1, "the server is asked with a system role once"
    assert "# The rules" in merged[0]["messages"][0]["content"]
    assert "The legal turns" in merged[0]["messages"][0]["content"]


def test_thoughts_tool_calls_and_details_of_tokens_are_recorded() -> None:
    def model(asked: dict[str, Any], handler: Handler) -> dict[str, Any]:
        body = completion(None, asked)
        call = {"id": "1", "function": {"name": "play", "arguments": '{"turn": 1}'}}
        body["choices"][0]["message"] |= {"tool_calls": [call], "reasoning_content": "I wonder."}
        body["usage"]["completion_tokens_details"] = {"reasoning_tokens": 5}
        body["usage"]["prompt_tokens_details"] = {"cached_tokens": 9}
        return body

    with serving(model) as server:
        (record, *_) = match(server).play()
    (answer, *_) = record["models"][side_of(record)]["answers"]
    assert (answer["refused"], answer["thoughts"]) == (None, "I wonder.")
    assert (answer["reasoning"], answer["cached"]) == (5, 9)
    assert json.loads(answer["calls"]) == [{"name": "play", "arguments": '{"turn": 1}'}]
    assert from_record(record).history


def test_a_stream_of_events_that_nobody_asked_for_is_read() -> None:
    def stream(asked: dict[str, Any], handler: Handler) -> None:
        usage = {"prompt_tokens": 30, "completion_tokens": 4}
        parts: list[Any] = [
            {"choices": [{"delta": {"content": text}}]} for text in ("TURN", ": ", "1\n")
        ]
        ends = [
            {"choices": [{"delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": usage},
        ]
        lines = [f"data: {json.dumps(part)}\n\n" for part in (*parts, *ends)]
        body = ": hello\n\n" + "".join(lines) + "data: [DONE]\n\n"
        handler.reply(200, body.encode(), Content_Type="text/event-stream")

    with serving(stream) as server:
        (record, *_) = match(server).play()
    (answer, *_) = record["models"][side_of(record)]["answers"]
    assert (answer["text"], answer["end"], answer["tokens"]) == ("TURN: 1\n", "stop", [30, 4])


def test_a_server_that_counts_no_tokens_is_limited_by_an_estimate(tmp_path: Path) -> None:
    def uncounted(asked: dict[str, Any], handler: Handler) -> dict[str, Any]:
        body = completion(FIRST, asked)
        del body["usage"]
        return body

    path, budget = tmp_path / "games.jsonl", Budget(max_cost=0.01, prices=(("scripted", 1, 4),))
    with serving(uncounted) as server, pytest.warns(RuntimeWarning, match="no more games begin"):
        records = [*match(server, games=8, max_turns=7, budget=budget).play(path)]
    assert len(records) < 8
    assert records[0]["models"][side_of(records[0])]["answers"][0]["tokens"] == [None, None]
    spent = PaidAnswers(f"{path}.answers", budget)
    spent.refresh()
    assert 0.01 <= spent.cost < 0.02
    assert "answers estimated" in str(spent)


def test_a_server_that_asks_for_a_pause_gets_it_within_the_clock() -> None:
    times: list[float] = []

    def busy(asked: dict[str, Any], handler: Handler) -> str | None:
        times.append(time.monotonic())
        wait = {1: "1.2", 2: "3600"}.get(len(times))
        if wait is None:
            return FIRST
        return handler.reply(429, {"error": {"message": "slow down"}}, Retry_After=wait)

    with serving(busy) as server:
        (record, *_) = match(server, turn_seconds=20).play()
    assert "fault" not in record
    assert times[1] - times[0] > 1.1, "longer than the first pause"
    assert times[2] - times[1] < 10, "an hour is more than the clock has"


@pytest.mark.parametrize("code", [[], {}, 7, True, "x" * 10_000])
def test_a_refusal_may_have_any_code(code: Any) -> None:
    body = {"error": {"message": ["odd"], "code": code, "type": code}}
    with (
        serving(lambda asked, handler: handler.reply(400, body)) as server,
        pytest.raises(ConfigError, match="400"),
    ):
        next(match(server).play())


def test_a_server_that_rewrites_its_headers_and_repeats_the_key_plays_on_and_leaves_it_nowhere(
    tmp_path: Path,
) -> None:
    def rewriting(asked: dict[str, Any], handler: Handler) -> None:
        body = json.dumps(
            completion(f"{handler.headers['Authorization']}\n{FIRST}", asked) | {"model": KEY}
        ).encode()
        handler.reply(
            200,
            body,
            Content_Type="text/html; charset=utf-16",
            X_Request_Id=KEY,
            Set_Cookie=f"key={KEY}",
        )

    path = tmp_path / "games.jsonl"
    with serving(rewriting) as server:
        records = [*match(server).play(path)]
    assert [record.get("fault") for record in records] == [None, None]
    assert {*server.keys} == {f"Bearer {KEY}"}
    assert "(the key)" in path.read_text("utf-8")
    holding = {file.name: KEY in file.read_text("utf-8") for file in tmp_path.iterdir()}
    assert holding == {"games.jsonl": False, "games.jsonl.answers": False}


def test_the_key_does_not_follow_to_another_server(pauses: None) -> None:
    with serving(says(FIRST)) as other:
        address = f"{other.url.replace('127.0.0.1', 'localhost')}/chat/completions"
        with serving(lambda asked, handler: handler.reply(307, b"", Location=address)) as server:
            assert "fault" not in next(match(server, turn_seconds=5).play())
    assert {*other.keys} == {""}


# What is paid.


@pytest.mark.filterwarnings("ignore:no more games begin:RuntimeWarning")
@pytest.mark.parametrize(
    "budget", [Budget(max_tokens=12_000), Budget(max_cost=0.012, prices=(("scripted", 1.0, 4.0),))]
)
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_match_stops_in_good_order_once_the_budget_is_spent_and_goes_on_with_a_larger_one(
    budget: Budget, processes: int, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    with serving(says(FIRST)) as server:
        whole = [record["actions"] for record in match(server, games=4, max_turns=7).play()]
        server.asked.clear()
        first = [
            *match(server, games=4, max_turns=7, budget=budget).play(path, processes=processes)
        ]
        assert len(first) < 4
        spent = PaidAnswers(f"{path}.answers", budget)
        spent.refresh()
        assert (
            budget.max_tokens is None
            or budget.max_tokens <= sum(spent.tokens) < budget.max_tokens + processes * 4000
        )
        assert (
            budget.max_cost is None
            or budget.max_cost <= spent.cost < budget.max_cost + processes * 0.004
        )
        rest = [*match(server, games=4, max_turns=7).play(path, resume=True)]
    assert [record["actions"] for record in rest] == whole
    assert max(Counter(map(json.dumps, server.asked)).values()) == 1


def test_a_limit_needs_a_file_and_prices(tmp_path: Path) -> None:
    with serving(says(FIRST)) as server:
        with pytest.raises(ConfigError, match="needs a file"):
            next(match(server, budget=Budget(max_tokens=1)).play())
        with pytest.raises(ConfigError, match="the price of scripted"):
            next(match(server, budget=Budget(max_cost=1)).play(tmp_path / "games.jsonl"))
        assert not server.asked


def test_answers_of_games_that_are_gone_are_refused_like_the_games(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with serving(says(FIRST)) as server:
        assert len([*match(server).play(path)]) == 2
        path.unlink()
        with pytest.raises(FileError, match="it already holds answers"):
            next(match(server).play(path))
