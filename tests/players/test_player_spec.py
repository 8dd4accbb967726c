"""Specifications of players are parsed, even if file names contain their separators."""

from __future__ import annotations

from pathlib import Path

import pytest

from tkm_env import ConfigError
from tkm_env.players import make_agent
from tkm_env.players.player_spec import PlayerSpec

BOT = """
class Bot:
    def __init__(self, depth=1):
        self.name = f"depth {depth}"

    def act(self, game):
        return game.legal_actions()[-1]
"""
#: Names of files that play in a line, with options after them.
NAMES = (
    "a:b.py",
    "x.py:y.py",
    "a=b,c.py",
    "two words.py",
    'it\'s "one".py',
    "jörg.py",
    "-bot.py",
    "a:depth=2.py",
)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("greedy", ("agent", "greedy", "", "")),
        ("alphabeta:depth=3,net=None", ("agent", "alphabeta", "", "depth=3,net=None")),
        ("bot.py:Bot", ("python", "bot.py", "Bot", "")),
        ("bot.py", ("python", "bot.py", "", "")),
        ("bots/1:2.py:Bot:depth=3", ("python", "bots/1:2.py", "Bot", "depth=3")),
        (r"C:\bots\x.py:Bot", ("python", r"C:\bots\x.py", "Bot", "")),
        ("./greedy:1.py:Bot", ("python", "./greedy:1.py", "Bot", "")),
        ("net:file=mine.py:x", ("agent", "net", "", "file=mine.py:x")),
        ("policy:mine.npz", ("policy", "mine.npz", "", "")),
        ("policy:mine.npz:temperature=1", ("policy", "mine.npz", "", "temperature=1")),
        (r"policy:C:\mine.npz:temperature=1", ("policy", r"C:\mine.npz", "", "temperature=1")),
        ("cmd:./bot --a=b:c.py", ("cmd", "./bot --a=b:c.py", "", "")),
        ("exploit:greedy", ("exploit", "greedy", "", "")),
        (
            "exploit:playouts=50:alphabeta:depth=2",
            ("exploit", "alphabeta:depth=2", "", "playouts=50"),
        ),
        ("exploit:./a=b.py:Bot", ("exploit", "./a=b.py:Bot", "", "")),
        ("llm:vendor/model:free", ("llm", "vendor/model:free", "", "")),
        ("llm:vendor/model:free:temperature=0", ("llm", "vendor/model:free", "", "temperature=0")),
        ("", ("agent", "", "", "")),
    ],
)
def test_a_line_says_what_kind_of_player_it_names(line: str, parts: tuple[str, ...]) -> None:
    assert PlayerSpec.parse(line) == PlayerSpec(*parts)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ConfigError, match="opponent=5 is invalid: it must be a line of text"):
        PlayerSpec.parse(5, "opponent")


@pytest.mark.parametrize("name", NAMES)
def test_a_python_file_plays_whatever_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(BOT, "utf-8")
    for path in (name, f"./{name}", str(tmp_path / name)):
        assert make_agent(f"{path}:Bot:depth=7").name == "depth 7"
        assert make_agent(f"{path}:Bot").name == "depth 1"
