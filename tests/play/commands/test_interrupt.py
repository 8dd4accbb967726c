"""Ctrl-C ends `tkm play --browser`, whatever is going on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import Any

import pytest

from tests.games.tkm.positions import VARIED
from tests.play.test_connections import HOST, PATIENCE, connected, get

#: A bot that thinks as long as it is let, and has nothing that would stop it.
BOT = "import threading\nclass Bot:\n    def act(self, game):\n        threading.Event().wait()\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
@pytest.mark.parametrize(
    "opponent",
    [
        f"mcts:iterations={2**62}",
        pytest.param("alphabeta:depth=64", marks=pytest.mark.slow),
        pytest.param("bot.py:Bot", marks=pytest.mark.slow),
    ],
)
def test_an_interrupt_ends_it_while_an_agent_thinks_and_connections_are_open(
    tmp_path: Any, opponent: str
) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    options = [
        "--no-open",
        "--side",
        "black",
        "--position",
        VARIED[3],
        "--save",
        "game.jsonl",
        "--opponent",
        opponent,
    ]
    command = [
        sys.executable,
        "-c",
        "from tkm_env.cli import main; main()",
        "play",
        "--browser",
        *options,
    ]
    with (
        subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
        ExitStack() as stack,
    ):
        assert process.stdout is not None
        try:
            url = process.stdout.readline().split(" ")[2]
            deadline = time.monotonic() + PATIENCE
            while get(url)[0] == 503 and time.monotonic() < deadline:  # the game is not there yet
                time.sleep(0.02)
            for _ in range(10):
                stack.enter_context(connected(url)).sendall(b"GET / HTTP/1.1\r\n")
            body = '{"version": 1}'
            thinking = stack.enter_context(connected(url))
            thinking.sendall(
                f"POST /api/agent HTTP/1.1\r\n{HOST}Content-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            deadline = time.monotonic() + PATIENCE
            while not json.loads(get(url)[2])["is_thinking"] and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    assert f"left at: {VARIED[3]}" in output, "what the agent had in mind was played"
    assert "Traceback" not in errors
    assert not (tmp_path / "game.jsonl").exists(), (
        "there is no game to save before the first action"
    )
