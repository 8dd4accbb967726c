"""The examples for libraries that train language models, where these libraries are installed."""

from __future__ import annotations

import asyncio
import importlib.util
import runpy
import socket
import sys
import threading
import time
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.text import chat_server
from tkm_env import ConfigError
from tkm_env.text import TextOptions, write_reply

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The example's module; its folder is on the path, as if it were installed."""
    library, module = request.param.split("/")
    pytest.importorskip(library, reason=f"needs {library}")
    monkeypatch.syspath_prepend(EXAMPLES / library)
    return importlib.import_module(module)


@pytest.mark.parametrize("library", ["openenv", "reasoning_gym", "verifiers"])
def test_pins_stay_in_the_examples_own_project(library: str) -> None:
    project = tomllib.loads((EXAMPLES / library / "pyproject.toml").read_text("utf-8"))["project"]
    own = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text("utf-8"))["project"]
    name = library.replace("_", "-")
    assert any(line.startswith(name) for line in project["dependencies"])
    assert not any(
        name in line for lines in own["optional-dependencies"].values() for line in lines
    )


def test_openenv_is_told_a_module_of_the_installed_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES / "openenv")
    text = (EXAMPLES / "openenv/tkm_games/openenv.yaml").read_text("utf-8")
    app = dict(line.split(": ", 1) for line in text.splitlines())["app"]
    module, _, name = app.partition(":")
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.parent == "tkm_games", "its relative imports need the package"
    assert found.origin is not None
    assert f"\n{name} = create_app(" in Path(found.origin).read_text("utf-8")


@pytest.mark.filterwarnings("ignore")  # the libraries' own
@pytest.mark.parametrize("example", ["openenv/tkm_games.server"], indirect=True)
def test_openenv_serves_games_side_by_side(example: Any, tmp_path: Path) -> None:
    from openenv.core import GenericEnvClient

    with serving(example) as url:
        clients = [GenericEnvClient(base_url=url).sync() for _ in range(2)]
        for client, game in zip(clients, ("tkm", "terminus"), strict=True):
            client.connect()
            assert (
                "# The rules"
                in client.reset(seed=1, game=game, opponent="random").observation["text"]
            )
        with pytest.raises(RuntimeError, match="here it must be one of 'random'"):
            clients[0].reset(seed=1, opponent=f"cmd:touch {tmp_path}/pwned")
        assert not [*tmp_path.iterdir()], "a client has started a program"
        refused = clients[0].step({"turn": "I go east"})
        assert "cannot be played" in refused.observation["text"]
        for client, first in zip(clients, (1, '{"turn": 1}'), strict=True):
            result = client.step({"turn": first})
            assert "cannot be played" not in result.observation["text"]
            for _ in range(300):
                if result.done:
                    break
                result = client.step({"turn": "TURN: 1"})
            assert result.done
            assert result.reward in (-1.0, 0.0, 1.0)
            assert "The game is over" in result.observation["text"]
            client.close()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", ["openenv/tkm_games.server"], indirect=True)
def test_openenv_serves_single_turns_and_questions(example: Any) -> None:
    from tkm_games.client import TkmGamesAction, TkmGamesEnv

    with serving(example) as url, TkmGamesEnv(base_url=url).sync() as client:
        told = client.reset(task="turn", depth=1, seed=1).observation.text
        assert "do you play? End your answer with" in told.splitlines()[-1]
        result = client.step(TkmGamesAction(turn=1))
        assert result.done
        assert 0 <= result.reward <= 1
        told = client.reset(task="question", kinds=["win"], difficulties=[6], seed=1)
        assert "Answer yes or no." in told.observation.text
        assert client.step(TkmGamesAction(answer="no idea")).reward == 0
        with pytest.raises(RuntimeError, match="it must be 'game', 'turn' or 'question'"):
            client.reset(task="chess")


@contextmanager
def serving(example: Any) -> Iterator[str]:
    """The address of the example's server, running."""
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(example.app, host="127.0.0.1", port=port, log_level="error")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


class FirstTurn:
    """A model that plays the first legal turn, or one that only talks."""

    def __init__(self, reply: str) -> None:
        self.reply, self.heard = reply, []
        self.trace = SimpleNamespace(rewards={}, info={})
        self.trace.record_reward = lambda name, value, weight: self.trace.rewards.update(
            {name: value}
        )

    @asynccontextmanager
    async def interaction(self, task: Any) -> AsyncIterator[Any]:
        yield self

    async def turn(self, message: str | None = None) -> Any:
        self.heard.append(message)
        return SimpleNamespace(terminated=False, last_reply=self.reply)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", ["verifiers/tkm_env_verifiers"], indirect=True)
def test_verifiers_plays_games_as_the_user(example: Any, tmp_path: Path) -> None:
    config = example.EpisodeConfig(id="tkm-env-verifiers", settings={"chapters": "growth"})
    env = example.WordsEnv(example.WordsEnvConfig(taskset=config))
    tasks = [*env.taskset.take(2)]
    assert [task.data.seed for task in tasks] == [0, 1]
    assert all("# The rules" in task.data.prompt for task in tasks)
    foreign = example.EpisodeConfig(id="", opponent=f"cmd:touch {tmp_path}/pwned")
    with pytest.raises(ConfigError, match="here it must be one of 'random'"):
        foreign.begin(0)
    assert not [*tmp_path.iterdir()], "a task has started a program"
    for reply, rewards in (("TURN: 1", {-1.0, 0.0, 1.0}), ("I resign myself to thinking.", {-1.0})):
        player = FirstTurn(reply)
        asyncio.run(env.run(tasks[0], SimpleNamespace(player=player)))
        assert player.trace.rewards["game"] in rewards
        assert player.heard[0] is None
        assert ("cannot be played" in (player.heard[1] or "")) == (rewards == {-1.0})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", ["verifiers/tkm_env_verifiers"], indirect=True)
def test_verifiers_rewards_right_answers(example: Any) -> None:
    config = example.EpisodeConfig(
        id="tkm-env-verifiers",
        episode="question",
        kinds=["win"],
        difficulties=[6],
        settings={"chapters": "growth"},
    )
    env = example.WordsEnv(example.WordsEnvConfig(taskset=config))
    tasks = [*env.taskset.take(2)]
    assert [task.data.seed for task in tasks] == [0, 1]
    rewards = []
    for task in tasks:
        player = FirstTurn("ANSWER: yes")
        asyncio.run(env.run(task, SimpleNamespace(player=player)))
        assert player.heard == [None]
        rewards.append(player.trace.rewards["question"])
    assert sorted(rewards) == [0.0, 1.0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seeds", [{}, {"rename": 3, "turned": 1, "numbers": 2}])
@pytest.mark.parametrize("example", ["verifiers/tkm_env_verifiers"], indirect=True)
def test_verifiers_rewards_good_turns(example: Any, seeds: dict[str, int]) -> None:
    shown = example.EpisodeConfig(id="tkm-env-verifiers", episode="turn", depth=1, **seeds)
    env = example.WordsEnv(example.WordsEnvConfig(taskset=shown))
    (task,) = env.taskset.take(1)
    position, prompt = shown.begin(0)
    assert task.data.prompt == prompt
    best = write_reply(position.position.game, position.position.best, TextOptions(**seeds))
    for reply, credit in ((best, 1.0), ("I pass.", 0.0)):
        player = FirstTurn(reply)
        asyncio.run(env.run(task, SimpleNamespace(player=player)))
        assert player.heard == [None]
        assert player.trace.rewards["turn"] == credit


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", ["reasoning_gym/tkm_env_reasoning_gym"], indirect=True)
def test_reasoning_gym_finds_the_data_sets_by_name(example: Any) -> None:
    import reasoning_gym

    given = {"tkm_turns": {"depth": 1}, "tkm_questions": {"kinds": ["win"], "difficulties": [6]}}
    for name, config in given.items():
        data = reasoning_gym.create_dataset(name, size=4, seed=42, **config)
        for entry in data:
            assert data.score_answer(entry["answer"], entry) == 1.0
            assert data.score_answer(None, entry) == 0.0
        assert data[2] == reasoning_gym.create_dataset(name, size=4, seed=42, **config)[2]
    with pytest.raises(ConfigError):
        reasoning_gym.create_dataset("tkm_turns", size=4, depth=0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_trl_trains_a_tiny_model_for_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trl", reason="needs trl")
    arguments = ["trl_grpo.py", "--steps", "1", "--size", "2", "--output", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", arguments)
    run = runpy.run_path(str(EXAMPLES / "trl_grpo.py"))
    model, tokenizer = run["tiny"]()
    assert model.num_parameters() < 100_000
    told = tokenizer("TURN: 1\n")["input_ids"]
    assert tokenizer.decode(told, skip_special_tokens=True) == "TURN: 1\n"
    run["main"]()


def test_a_client_lets_a_model_play_with_tools_or_resign(monkeypatch: pytest.MonkeyPatch) -> None:
    mcp = pytest.importorskip("mcp", reason="needs the extra [mcp]")
    from tests.play.test_tool_server import served

    def call(asked: dict[str, Any], name: str, arguments: str) -> dict[str, Any]:
        """The body of an answer that calls a tool."""
        assert [tool["function"]["name"] for tool in asked["tools"]] == ["play", "try_out"]
        function = {"name": name, "arguments": arguments}
        calls = [{"id": "call-0", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        return chat_server.completion("", asked, message=message, finish_reason="tool_calls")

    script = [
        lambda asked: chat_server.completion("I think.", asked),
        lambda asked: call(asked, "play", '{"turn": 999}'),
        lambda asked: call(asked, "try_out", '{"turn": 2}'),
        lambda asked: call(asked, "play", '{"turn": 2}'),
        *[lambda asked: call(asked, "play", "2}")] * 4,
    ]
    kept: list[dict[str, Any]] = []
    with chat_server.serving(lambda asked, handler: script.pop(0)(asked)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        run = runpy.run_path(str(EXAMPLES / "local_model" / "play_with_tools.py"))

        async def play() -> Any:
            tools = served("tkm", TextOptions(style="terse"), kept, trials=1)
            async with mcp.Client(tools) as client, run["Player"]("m", client, tries=4) as player:
                await player.play_game()
                return player.counted

        counted = asyncio.run(play())
    assert counted == {
        "answers": 8,
        "answers without a call": 1,
        "calls of play": 1,
        "calls of play, refused": 5,
        "calls of try_out": 1,
        "games resigned": 1,
        "tokens in": counted["tokens in"],
        "tokens out": 2,
    }
    told = [message["role"] for message in server.asked[3]["messages"]]
    assert told == ["system", "user", "assistant", "user", "assistant", "tool", "assistant", "tool"]
    assert len(server.asked[4]["messages"]) == 2, "a turn begins anew"
    (record,) = kept
    assert record["result"] == "0-1"
    (conversation,) = record["models"].values()
    flaws = [answer["flaw"] for answer in conversation["answers"]]
    assert flaws == ["unknown name", None, *["form"] * 4]
