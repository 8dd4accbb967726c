"""Language models as players: whatever the server does, it is the promised fault or wait, and no answer is paid for twice."""

from __future__ import annotations

import copy
import itertools
import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cases import each
from tests.text.chat_server import KEY, ChatServer, Handler, completion, serving
from tkm_env import BudgetError, ConfigError, FileError, Game, GameConfig, MachineError, PlayerError
from tkm_env.arena.match import Match
from tkm_env.arena.referee import Conditions
from tkm_env.cli.commands import tkm
from tkm_env.core.registry import game_spec
from tkm_env.players import make_agent
from tkm_env.text import TextOptions, chat, digest
from tkm_env.text.paid_answers import Budget, PaidAnswers

pytest.importorskip("openai", reason="needs the extra [llm]")

FIRST = "I think.\nTURN: 1"
RETRIED = "ignore:.*tried again:RuntimeWarning"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits are short."""
    monkeypatch.setattr(chat, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(chat, "_LONGEST_PAUSE", 0.02)
    monkeypatch.setattr("tkm_env.arena.retries.PAUSES", (0.01,) * 7)


def says(*texts: str) -> Callable[..., str]:
    """A model that says one thing after another, and then the last one again and again."""
    left = [*texts]
    return lambda asked, handler: left.pop(0) if len(left) > 1 else left[0]


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
        "refused": "protocol",
    }
    assert played == {**played, "ply": refused["ply"], "text": FIRST, "refused": None}
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


@each(
    "reply, kind, seen",
    [
        ("I resign myself to fate.", "protocol", "neither a JSON object"),
        ("TURN: 999", "illegal", "no turn 999"),
        ("TURN: choose 1", "illegal", "not finished"),
        (None, "protocol", "neither a JSON object"),
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
    assert len(record["models"][side_of(record)]["answers"]) == (0 if kind == "output" else 2)


def test_a_long_reply_with_a_turn_in_the_end_is_that_turn() -> None:
    with serving(
        says(f'{"I wonder. " * 20_000}\n```json\n{{"turn": 1}}\n```\nGood luck!')
    ) as server:
        assert "fault" not in next(match(server).play())


@each(
    "change, end",
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


@each("model", [lambda asked, handler: time.sleep(3), drip])
def test_an_answer_that_is_late_is_a_timeout(model: Callable[..., None]) -> None:
    with serving(model) as server:
        record = next(match(server, turn_seconds=0.3).play())
    assert record["fault"]["kind"] == "timeout"


def failing(*ways: Callable[[Handler], Any]) -> Callable[..., Any]:
    """A model that fails in one way after another, and then plays."""
    left = [*ways]
    return lambda asked, handler: left.pop(0)(handler) if left else FIRST


def hang_up(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def break_off(handler: Handler) -> None:
    """Half of an answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"message": {"content": "TURN: 2"')
    hang_up(handler)


#: How a server can fail for a while.
FAILURES: list[Callable[[Handler], Any]] = [
    lambda handler: handler.reply(
        429, {"error": {"message": "slow down"}}, Retry_After="1000000000"
    ),
    lambda handler: handler.reply(503, b"<html>busy</html>", Content_Type="text/html"),
    lambda handler: handler.reply(500, {"error": None}),
    lambda handler: handler.reply(200, b"<html>sign in</html>", Content_Type="text/html"),
    lambda handler: handler.reply(200, {"choices": []}),
    lambda handler: handler.reply(200, [1]),
    lambda handler: handler.reply(200, b"\xff\xfe"),
    lambda handler: handler.reply(408, {}),
    lambda handler: handler.reply(200, b"nothing that is compressed", Content_Encoding="gzip"),
    hang_up,
    break_off,
]


def test_rate_limits_and_errors_of_the_server_are_waited_for(pauses: None) -> None:
    with serving(failing(*FAILURES)) as server:
        records = [*match(server).play()]
    assert [record.get("fault") for record in records] == [None, None]
    assert len(server.asked) > len(FAILURES)


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


@each(
    "status, code, reason",
    [
        (401, None, "wrong key"),
        (404, "model_not_found", "no such model"),
        (429, "insufficient_quota", "pay"),
    ],
)
def test_a_request_that_the_server_refuses_ends_the_match(
    status: int, code: str | None, reason: str
) -> None:
    body = {"error": {"message": f"{reason}: {KEY}", "code": code}}
    with (
        serving(lambda asked, handler: handler.reply(status, body)) as server,
        pytest.raises(ConfigError, match=reason) as caught,
    ):
        next(match(server).play())
    assert KEY not in str(caught.value)


@each(
    "error, end",
    [
        ({"code": "content_filter"}, "content_filter"),
        ({"code": "context_length_exceeded"}, "length"),
        ({"code": 400, "type": "exceed_context_size_error"}, "length"),
    ],
)
def test_a_filter_of_the_server_is_a_refusal_and_a_question_that_is_too_long_an_answer_cut_off(
    error: dict[str, Any], end: str
) -> None:
    body = {"error": {"message": "violence", **error}}
    with serving(lambda asked, handler: handler.reply(400, body)) as server:
        record = next(match(server).play())
    assert {answer["end"] for answer in record["models"][side_of(record)]["answers"]} == {end}
    assert record["fault"]["kind"] == "protocol"


@each("code", [[], {}, 7, True, "x" * 10_000])
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


@each(
    "line, reason",
    [
        ("llm:", "a model's name must follow"),
        (f"llm:gpt:api_key={KEY}", "the key comes from the environment"),
        ("llm:gpt:base_url=ftp://x", "http://"),
        (f"llm:gpt:base_url=https://me:{KEY}@host/v1", "without a password"),
        (f"llm:gpt:base_url=https://host/v1?token={KEY}", "base_url='https://host/v1' is invalid"),
        ("llm:gpt:legal=some", "legal='some'"),
        ("llm:gpt:retries=-1", "retries=-1"),
        ("llm:gpt:colour=1", "there is no option 'colour'"),
        ("exploit:llm:gpt", "thousands of questions"),
    ],
)
def test_what_is_no_model_is_refused_and_no_message_shows_the_key(line: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(reason)) as caught:
        make_agent(line)
    assert KEY not in str(caught.value)


@each("key, reason", [("", "must hold a key"), ("sk-one\nsk-two", "characters that no key has")])
def test_without_a_usable_key_nothing_is_asked(
    key: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ConfigError, match=reason):
        make_agent("llm:gpt")


def test_the_name_of_a_model_may_hold_colons_and_slashes() -> None:
    assert (
        make_agent("llm:org/qwen3:8b:legal=none,base_url=http://127.0.0.1:1/v1").name
        == "llm:org/qwen3:8b legal=none"
    )


@each("game", ["tkm", "terminus"])
def test_outside_of_matches_it_is_a_player_like_any_other_and_can_be_copied(game: str) -> None:
    position = game_spec(game).game_class(seed=1)
    with serving(says(FIRST)) as server:
        agent = copy.deepcopy(make_agent(f"llm:scripted:base_url={server.url}", game=game))
        before, side = position.copy(), position.to_act
        while position.to_act == side and position.result is None:
            position.play(agent.act(position))
        assert len(server.asked) == 1
        assert position != before
    with (
        serving(says("nothing")) as server,
        pytest.raises(PlayerError, match="neither a JSON object"),
    ):
        make_agent(f"llm:scripted:base_url={server.url}", game=game).act(before)


def test_outside_of_matches_a_failure_ends_soon_and_the_next_try_asks_anew(
    pauses: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tkm_env.text.language_model._PATIENCE", 0.1)
    busy = FAILURES[1]
    with serving(says("no")) as server:
        agent, game = make_agent(f"llm:scripted:base_url={server.url}"), Game()
        with pytest.raises(PlayerError, match="3 answers in a row"):
            agent.act(game)
        server.model = lambda asked, handler: busy(handler)
        with pytest.raises(MachineError, match="asking scripted"):
            agent.act(game)
        server.model = failing(busy)
        game.play(agent.act(game))
    assert len(game.history) == 1


# What is paid.


@pytest.mark.filterwarnings("ignore:no more games begin:RuntimeWarning")
@each(
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


def test_nothing_is_left_of_a_budget_that_is_spent(tmp_path: Path) -> None:
    paid = PaidAnswers(str(tmp_path / "answers"), Budget(max_tokens=10))
    paid.check("gpt")
    paid.add("key", "gpt", chat.Answer("text", "stop", (6, 4), "gpt-1", 1.0))
    with pytest.raises(BudgetError, match="10 tokens are spent, of 10"):
        paid.check("gpt")
    for prices, most in ((("gpt", 1.0, 4.0), math.nan), (("gpt", math.nan, 4.0), 5.0)):
        paid = PaidAnswers(paid.path, Budget(max_cost=most, prices=(prices,)))
        with pytest.raises(BudgetError, match="nan"):
            paid.check("gpt")


def test_what_a_killed_writer_left_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    answer = chat.Answer("text", "stop", (6, 4), "gpt-1", 1.0)
    PaidAnswers(str(path)).add("one", "gpt", answer)
    with open(path, "ab") as file:
        file.write(b'{"key": "two", "asked": "gpt", "te')
    PaidAnswers(str(path)).add("three", "gpt", answer)
    paid = PaidAnswers(str(path), Budget(prices=(("gpt", 1e6, 2e6),)))
    assert [paid.find(key) for key in ("one", "two", "three")] == [answer, None, answer]
    assert (paid.tokens, paid.cost) == ((12, 8), 28.0)
    assert (str(paid), paid.so_far(1, 4)) == (
        "12 tokens in, 8 out, cost 28.00",
        "cost 28.00 of about 112.00",
    )


def test_answers_of_games_that_are_gone_are_refused_like_the_games(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with serving(says(FIRST)) as server:
        assert len([*match(server).play(path)]) == 2
        path.unlink()
        with pytest.raises(FileError, match="answers are there already"):
            next(match(server).play(path))


def kills(path: Path, server: ChatServer, times: int) -> Iterator[int]:
    """Play a match as the command does, killed so many times, and then to its end; how many questions there were each time."""
    command = [
        sys.executable,
        "-m",
        "tkm_env",
        "match",
        f"llm:scripted:base_url={server.url}",
        "random",
        "--games",
        "4",
    ]
    command += ["--save", str(path), "--max-turns", "60", "--turn-seconds", "60"]
    for number in itertools.count():
        resume = ["--resume"] if number else []
        before = len(server.asked)
        process = subprocess.Popen(
            [*command, *resume],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        while number < times and process.poll() is None and len(server.asked) < before + 3:
            time.sleep(0.01)
        if number < times and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        output = process.communicate()[0].decode()
        assert process.returncode == (-signal.SIGKILL if number < times else 0), output
        yield len(server.asked) - before
        if number == times:
            return


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_a_match_killed_again_and_again_asks_nothing_again_that_was_answered(
    tmp_path: Path,
) -> None:
    path = tmp_path / "games.jsonl"

    def model(asked: dict[str, Any], handler: Handler) -> str:
        time.sleep(0.02)
        return "TURN: 1"

    with serving(model) as server:
        asked = [*kills(path, server, 5)]
    assert len(asked) == 6
    questions = Counter(json.dumps(each["messages"]) for each in server.asked)
    # Only the question that was on its way when the match was killed is asked again: at most one each time.
    assert sum(questions.values()) - len(questions) <= 5
    lines = Path(f"{path}.answers").read_text("utf-8").splitlines()
    keys = Counter(json.loads(line)["key"] for line in lines if line.endswith("}"))
    assert max(keys.values()) == 1, "an answer that was kept was asked for again"
    assert not any(KEY in file.read_text("utf-8") for file in tmp_path.iterdir())


@pytest.mark.filterwarnings("default:no more games begin:RuntimeWarning")
def test_the_command_says_what_was_spent_and_stops_at_the_limit(tmp_path: Path) -> None:
    with serving(says(FIRST)) as server:
        line = f"llm:scripted:base_url={server.url}"
        save = ["--save", str(tmp_path / "games.jsonl"), "--max-turns", "9", "--processes", "1"]
        limits = ["--price", "scripted", "1", "4", "--max-cost", "0.02"]
        result = CliRunner().invoke(tkm, ["match", line, "random", "--games", "6", *save, *limits])
    assert "no more games begin: answers have cost 0.02, of 0.02" in result.output
    assert re.search(
        r"language models: [\d,]+ tokens in, \d+ out, cost 0.02$", result.output, re.MULTILINE
    ), result.output
    assert "add --resume to the same command" in result.output


@pytest.mark.nightly
@each("game, settings", [("tkm", ["--max-turns", "16", "--chapters", "growth"]), ("terminus", [])])
def test_many_games_make_a_report_that_says_how_much_was_illegal(
    game: str, settings: list[str], tmp_path: Path
) -> None:
    """Of five answers one is illegal and one is no turn."""
    numbers = itertools.count()
    replies = ["TURN: 1", "TURN: fly", "TURN: 1", "I pass.", "TURN: 1"]
    with serving(
        lambda asked, handler: f"{KEY} {replies[next(numbers) % 5]}".replace(f"{KEY} TURN", "TURN")
    ) as server:
        line = f"llm:scripted:base_url={server.url}"
        save = tmp_path / "games.jsonl"
        played = CliRunner().invoke(
            tkm,
            [
                "match",
                line,
                "random",
                "--game",
                game,
                "--games",
                "30",
                "--save",
                str(save),
                "--processes",
                "1",
                *settings,
            ],
        )
        assert played.exit_code == 0, played.output
        outputs = [
            f"--{kind}={tmp_path / f'report.{kind}'}"
            for kind in ("html", "json", "markdown", "csv")
        ]
        reported = CliRunner().invoke(tkm, ["report", str(save), *outputs])
        assert reported.exit_code == 0, reported.output
    (model,) = json.loads((tmp_path / "report.json").read_text("utf-8"))["sections"][0]["models"]
    asked = len(server.asked)
    assert asked > 150
    assert model["illegal"]["share"] == pytest.approx(0.2, abs=1 / asked)
    assert model["no_turn"]["share"] == pytest.approx(0.2, abs=1 / asked)
    assert model["illegal"]["low"] < 0.2 < model["illegal"]["high"]
    assert model["turns"] * (1 + model["retries"]) == pytest.approx(asked)
    assert "Language models" in (tmp_path / "report.html").read_text("utf-8")
    holding = [file.name for file in tmp_path.iterdir() if KEY in file.read_text("utf-8")]
    assert not holding
