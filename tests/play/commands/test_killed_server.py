"""`tkm play --browser` is killed in the middle of a game, and started again."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect

from tests.play.page import play_some, windows

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.slow
def test_a_game_survives_the_end_of_its_process(chromium: Browser, tmp_path: Path) -> None:
    """The command itself is killed, and started again without a word about the game."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "tkm_env", "play", "--browser", "--no-open", f"--port={port}"]
    positions = []
    for _ in range(3):
        with (
            subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, text=True
            ) as process,
            ExitStack() as at_the_end,
            windows(chromium) as context,
        ):
            at_the_end.callback(process.kill)
            assert process.stdout is not None
            page = context.new_page()
            page.goto(process.stdout.readline().split()[2])
            page.wait_for_selector("#main", state="visible")
            if positions:
                page.click("#resume-continue")
                expect(page.locator("#position")).to_have_text(positions[-1])
            positions.append(play_some(page, 3))
    assert len({*positions}) == len(positions)
