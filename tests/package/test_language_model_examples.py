"""The examples for OpenEnv and verifiers play whole games, where these libraries are installed."""

from __future__ import annotations

import asyncio
import importlib
import socket
import threading
import time
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tkm_env import ConfigError

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The example's module; its folder is on the path, as if it were installed."""
    library, _, module = request.param.partition("/")
    pytest.importorskip(library, reason=f"needs {library}")
    monkeypatch.syspath_prepend(EXAMPLES / library)
    return importlib.import_module(f"tkm_env_{module or library}")


@pytest.mark.parametrize("library", ["openenv", "verifiers"])
def test_pins_stay_in_the_examples_own_project(library: str) -> None:
    project = tomllib.loads((EXAMPLES / library / "pyproject.toml").read_text("utf-8"))["project"]
    own = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert any(line.startswith(library) for line in project["dependencies"])
    assert not any(
        library in line for lines in own["optional-dependencies"].values() for line in lines
    )


@pytest.mark.filterwarnings("ignore")  # the libraries' own
@pytest.mark.parametrize("example", ["openenv"], indirect=True)
def test_openenv_serves_games_side_by_side(example: Any, tmp_path: Path) -> None:
    import uvicorn
    from openenv.core import GenericEnvClient

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
        clients = [GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() for _ in range(2)]
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
@pytest.mark.parametrize("example", ["verifiers"], indirect=True)
def test_verifiers_plays_games_as_the_user(example: Any, tmp_path: Path) -> None:
    config = example.TurnsEnvConfig(
        taskset=example.GameConfig(
            id="tkm-env-verifiers", opponent="random", settings={"chapters": "growth"}
        )
    )
    env = example.TurnsEnv(config)
    tasks = [*env.taskset.take(2)]
    assert [task.data.seed for task in tasks] == [0, 1]
    assert all("# The rules" in task.data.prompt for task in tasks)
    foreign = example.GameData(
        prompt="", seed=0, played=example.GameConfig(id="", opponent=f"cmd:touch {tmp_path}/pwned")
    )
    with pytest.raises(ConfigError, match="here it must be one of 'random'"):
        foreign.played.begin(foreign.seed)
    assert not [*tmp_path.iterdir()], "a task has started a program"
    for reply, rewards in (("TURN: 1", {-1.0, 0.0, 1.0}), ("I resign myself to thinking.", {-1.0})):
        player = FirstTurn(reply)
        asyncio.run(env.run(tasks[0], SimpleNamespace(player=player)))
        assert player.trace.rewards["game"] in rewards
        assert player.heard[0] is None
        assert ("cannot be played" in (player.heard[1] or "")) == (rewards == {-1.0})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", ["verifiers/questions"], indirect=True)
def test_verifiers_rewards_right_answers(example: Any) -> None:
    config = example.QuestionsEnvConfig(
        taskset=example.QuestionConfig(
            id="tkm-env-questions", kinds=["win"], difficulties=[6], settings={"chapters": "growth"}
        )
    )
    env = example.QuestionsEnv(config)
    tasks = [*env.taskset.take(2)]
    assert [task.data.seed for task in tasks] == [0, 1]
    rewards = []
    for task in tasks:
        player = FirstTurn("ANSWER: yes")
        asyncio.run(env.run(task, SimpleNamespace(player=player)))
        assert player.heard == [None]
        rewards.append(player.trace.rewards["answer"])
    assert sorted(rewards) == [0.0, 1.0]
