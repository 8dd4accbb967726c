"""A language model as a player: its name, its questions, and the answers that are kept."""

from __future__ import annotations

import copy
import math
import re
from pathlib import Path

import pytest

from tests.text.chat_server import FAILURES, FIRST, KEY, failing, says, serving
from tkm_env import BudgetError, ConfigError, Game, MachineError, PlayerError
from tkm_env.core.registry import game_spec
from tkm_env.players import make_agent
from tkm_env.text import chat
from tkm_env.text.completion import Completion
from tkm_env.text.paid_answers import Budget, PaidAnswers

pytest.importorskip("openai", reason="needs the extra [llm]")

pytestmark = pytest.mark.usefixtures("chat_key")


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits are short."""
    monkeypatch.setattr(chat, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(chat, "_LONGEST_PAUSE", 0.02)


@pytest.mark.parametrize(
    ("line", "reason"),
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


@pytest.mark.parametrize(
    ("key", "reason"), [("", "must hold a key"), ("sk-one\nsk-two", "characters that no key has")]
)
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


@pytest.mark.parametrize("game", ["tkm", "terminus"])
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


def test_nothing_is_left_of_a_budget_that_is_spent(tmp_path: Path) -> None:
    paid = PaidAnswers(str(tmp_path / "answers"), Budget(max_tokens=10))
    paid.check("gpt")
    paid.add("key", "gpt", Completion("text", "stop", (6, 4), "gpt-1", 1.0))
    with pytest.raises(BudgetError, match="10 tokens are spent, of 10"):
        paid.check("gpt")
    for prices, most in ((("gpt", 1.0, 4.0), math.nan), (("gpt", math.nan, 4.0), 5.0)):
        paid = PaidAnswers(paid.path, Budget(max_cost=most, prices=(prices,)))
        with pytest.raises(BudgetError, match="nan"):
            paid.check("gpt")


def test_what_a_killed_writer_left_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    answer = Completion("text", "stop", (6, 4), "gpt-1", 1.0)
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
