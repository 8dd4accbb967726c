"""Odd command lines are carried out, or refused with one message and exit code 2.

None ends with a traceback.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.odd import ODD
from tkm_env import Game
from tkm_env.cli.root_command import tkm

BOTS: Final = """
class Bot:
    def __init__(self, *, number=0):
        self.share = 1 / number

    def act(self, game):
        return game.legal_actions()[0]

class Nothing:
    pass
"""
POSITION: Final = (
    "W.../..../..../...B|W.../..../..../....|W.../..../..../.... - w f PF - 4/4 - ---/--- -/- 9"
)


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder of its own, since commands write files of any name."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("commands"))
    yield
    os.chdir(before)


def tidy() -> None:
    """Leave nothing in the folder but what the commands may read."""
    game = Game()
    for name in ("choose 1", "move east"):
        game.play(name)
    files = {
        "games.jsonl": json.dumps(game.to_record()) + "\n",
        "bots.py": BOTS,
        "raises.py": "1 / 0\n",
        "leaves.py": "raise SystemExit\n",
        "broken.py": "def act(\n",
    }
    for path in Path().iterdir():
        if path.is_file() and path.name not in files:
            path.unlink()
    for name, content in files.items():
        Path(name).write_text(content, "utf-8")


def is_quick(text: str) -> bool:
    """Whether it is no number that asks for much work."""
    try:
        return not 100 < int(text) < 10**10
    except ValueError:
        return True


#: What the system hands over: without zeros, and with surrogates only for bytes that are not UTF-8.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = [text for text in ODD if type(text) is str and not {"\0", "\ud800"} & {*text}]
TEXTS += ["--", "-", "--help", "None", "True", "1.5", "0,2", "x,y", "growth+", "\udcff", POSITION]
text = st.one_of(st.sampled_from(TEXTS), st.text(CHARACTERS, max_size=12).filter(is_quick))
player = st.one_of(
    st.sampled_from(
        [
            *(
                "random",
                "greedy",
                "alphabeta:depth=1",
                "mcts:iterations=1",
                "bots.py:Bot:number=1",
                "bots.py:Bot",
                "bots.py:Nothing",
            ),
            *(
                "bots.py",
                "bots.py:",
                "raises.py:Bot",
                "leaves.py:Bot",
                "broken.py:Bot",
                "nowhere.py:Bot",
                ".py:x",
                "games.jsonl:x",
            ),
        ]
    ),
    text,
    text.map(lambda given: f"random:{given}"),
    text.map(lambda given: f"alphabeta:depth={given}"),
    text.map(lambda given: f"mcts:iterations=1,exploration={given}"),
)
setting = st.tuples(
    st.sampled_from(
        [
            "--chapters",
            "--edition",
            "--first-player",
            "--handicap",
            "--powers",
            "--timeline",
            "--power-set",
            "--max-turns",
        ]
    ),
    st.one_of(text, st.sampled_from(["growth", "2022", "0,1", "black", "draft_powers", "9"])),
)
settings = st.one_of(
    st.lists(setting, max_size=2).map(lambda pairs: [part for pair in pairs for part in pair]),
    st.tuples(st.just("--game"), st.one_of(text, st.just("terminus"))).map(list),
    st.tuples(st.just("--deck"), text).map(list),
    text.map(lambda given: [given]),
)


def options(*names: str, values: st.SearchStrategy[str] = text) -> st.SearchStrategy[list[str]]:
    """Some of these options, each with any value."""
    return st.lists(st.tuples(st.sampled_from(names), values), max_size=2).map(
        lambda pairs: [part for pair in pairs for part in pair]
    )


LINES: dict[str, st.SearchStrategy[tuple[Any, ...]]] = {
    "analyse": st.tuples(
        st.just(["analyse", "--agent", "alphabeta:depth=1", "--lines", "1"]),
        st.one_of(settings, options("--seed", "--lines"), options("--agent", values=player)),
    ),
    "perft": st.tuples(st.just(["perft", "--depth", "2"]), settings, options("--seed", "--divide")),
    "match": st.tuples(
        st.just(["match"]),
        st.tuples(player, player),
        settings,
        options("--games", "--seed", "--opening-turns", "--processes"),
        st.just(["--games", "1", "--processes", "1", "--max-turns", "4"]),
    ),
    "play": st.tuples(
        st.just(["play"]),
        settings,
        options("--side", "--seed", "--position", "--opponent", "--port", "--host"),
    ),
    "gif": st.tuples(
        st.just(["gif", "games.jsonl", "--size", "32"]),
        options("--speed", "--size", "--theme", "--game", "-o"),
    ),
    "replay": st.tuples(
        st.just(["replay"]),
        st.one_of(st.just(["games.jsonl"]), st.tuples(text)),
        options("--game", "-o"),
    ),
    "anything": st.tuples(st.lists(text, max_size=3)),
}


@pytest.mark.parametrize("command", LINES)
@given(data=st.data())
def test_command_lines(command: str, data: st.DataObject) -> None:
    tidy()
    line = [part for parts in data.draw(LINES[command]) for part in parts]
    result = CliRunner().invoke(tkm, line)
    assert result.exception is None or isinstance(result.exception, SystemExit), (
        f"{line}: {result.exception!r:.300}"
    )
    assert result.exit_code in (0, 2), f"{line}: {result.output}"
    assert "Traceback" not in result.output
    if result.exit_code and "Usage: " not in result.output:
        assert len(re.findall("^Error: ", result.output, re.MULTILINE)) == 1, (
            f"{line}: {result.output}"
        )
