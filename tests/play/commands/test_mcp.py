"""`tkm mcp`: a client of the SDK plays, and records are kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.play.test_tool_server import play_game, with_client
from tkm_env.core.record_files import from_record, read_records

mcp = pytest.importorskip("mcp", reason="needs the extra [mcp]")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_the_command_serves_the_clients_of_the_sdk_and_saves_records(
    game: str, tmp_path: Path
) -> None:
    save, talker = tmp_path / "games.jsonl", tmp_path / "talker.py"
    talker.write_text(
        "print('loaded')\nclass Talker:\n def act(self, game):\n"
        "  print('thinking')\n  return game.legal_actions()[0]\n",
        "utf-8",
    )
    arguments = [
        "-m",
        "tkm_env",
        "mcp",
        "--game",
        game,
        "--opponent",
        f"{talker}:Talker",
        "--seed",
        "1",
        "--side",
        "random",
        "--save",
        str(save),
        "--name",
        "mine",
    ]

    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        assert "The game is over" in await play_game(call)
        await call("new_game")
        await call("play", turn="1")

    server = mcp.StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ})
    with_client(mcp.stdio_client(server), act)
    records = [*read_records(save)]
    assert [from_record(record).result is not None for _, record in records] == [True, False]
    assert all("mine" in record["players"].values() for _, record in records)


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("rules", {}),
    ("observe", {}),
    ("play", {"turn": 1}),
    ("play", {"turn": 1}),
    ("no_such_tool", {}),
    ("resign", {}),
]


@pytest.mark.slow
def test_every_request_in_a_file_is_answered_in_order(tmp_path: Path) -> None:
    client = {"name": "file", "version": "1"}
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    calls = [("tools/call", {"name": name, "arguments": given}) for name, given in CALLS]
    requests: list[dict[str, Any]] = [
        {"id": number, "method": method, "params": params}
        for number, (method, params) in enumerate([("initialize", begin), *calls])
    ]
    requests.insert(1, {"method": "notifications/initialized"})
    lines = "".join(json.dumps({"jsonrpc": "2.0"} | request) + "\n" for request in requests)
    command = [sys.executable, "-m", "tkm_env", "mcp", "--seed", "1"]
    ended = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [*range(len(CALLS) + 1)], ended.stderr
    assert "The game is over" in answers[-1]["result"]["content"][0]["text"]
    assert ended.returncode == 0
