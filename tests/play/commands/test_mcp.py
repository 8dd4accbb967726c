"""`tkm mcp`: a client of the SDK plays, and records are kept."""

from __future__ import annotations

import os
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
    ]

    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        assert "The game is over" in await play_game(call)
        await call("new_game")
        await call("play", turn="1")

    server = mcp.StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ})
    with_client(server, act)
    records = [*read_records(save)]
    assert [from_record(record).result is not None for _, record in records] == [True, False]
