"""What the tests of leagues share: a small league, and those who ask its pages for something."""

from __future__ import annotations

import io
import json
import os
import signal
import time
import zipfile
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("flask_limiter", reason="needs the extra [league]")
pytest.importorskip("sqlalchemy", reason="needs the extra [league]")

from tkm_env.arena.league.league import League

BOT = "class Bot:\n    def act(self, game):\n        return game.legal_actions()[-1]\n"
#: A league that ends, of players who think little; the isolation is the least, so that it runs
#: anywhere.
FILE = """
seed = 5
games_per_player = {games}

[league]
title = "Cup"
uploads_per_day = 4
upload_mib = 1
final_pairs = 1

[[players]]
player = "random"

[[players]]
player = "greedy"

[[settings]]


[conditions]
isolation = "{isolation}"
"""


def small_league(
    folder: Path, *, games: int = 10, isolation: str = "process", database: str | None = None
) -> League:
    folder.mkdir(exist_ok=True)
    (folder / "league.toml").write_text(FILE.format(games=games, isolation=isolation), "utf-8")
    return League(folder, database)


def archive(files: dict[str, str | bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return content.getvalue()


def asked(url: str, token: str = "", data: bytes | None = None, **headers: str) -> Any:
    """What an address of the JSON interface answers."""
    sent = {"Authorization": f"Bearer {token}", **headers} if token else headers
    with urlopen(Request(url, data, sent), timeout=60) as answer:
        return json.load(answer)


def form(content: bytes, filename: str) -> tuple[bytes, str]:
    """The body of an upload, and its type."""
    mark = "x" * 40
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n\r\n'
    return (
        head.encode() + content + f"\r\n--{mark}--\r\n".encode(),
        f"multipart/form-data; boundary={mark}",
    )


def upload(url: str, token: str, content: bytes, filename: str = "bot.py") -> Any:
    body, kind = form(content, filename)
    return asked(f"{url}bots", token, body, **{"Content-Type": kind})


def wait_until(what: Any, seconds: float = 120) -> Any:
    """What a function returns once it is true."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it does not come true"
        time.sleep(0.2)
    return found


def children_of(process: int) -> list[int]:
    """The processes that a process started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == process:
            found.append(int(path.parent.name))
    return found


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
