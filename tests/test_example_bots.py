"""The example bots play, each in its language; where a compiler is not there, its bot is skipped."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tkm_env import GameConfig
from tkm_env.arena.match import Match
from tkm_env.arena.protocol_check import check

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a process")

BOTS = Path(__file__).parents[1] / "examples" / "bots"
#: By the end of the file's name: what it needs, and how to make a program of it; None where it is run as it is.
LANGUAGES: dict[str, tuple[str, tuple[str, ...] | None]] = {
    ".py": (sys.executable, None),
    ".js": ("node", None),
    ".c": ("cc", ("-O2", "-Wall", "-Wextra", "-Werror", "-o")),
    ".rs": ("rustc", ("-O", "-D", "warnings", "-o")),
}


@pytest.fixture(scope="module", params=sorted(BOTS.glob("random_bot.*")), ids=lambda path: path.suffix)
def bot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    source: Path = request.param
    tool, options = LANGUAGES[source.suffix]
    found = shutil.which(tool)
    if found is None:
        pytest.skip(f"{source.name} needs {tool}, which is not installed")
    if options is None:
        return f"cmd:{found} {source}"
    program = tmp_path_factory.mktemp("bots") / "bot"
    subprocess.run([found, *options, str(program), str(source)], check=True)
    return f"cmd:{program}"


def test_every_language_is_there() -> None:
    assert {path.suffix for path in BOTS.glob("random_bot.*")} == {*LANGUAGES}


@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_it_passes_every_step(bot: str, game: str) -> None:
    assert not [f"{step.name}: {error}" for step, _, error, _ in check(bot, game) if error is not None]


def test_it_plays_a_match_the_same_from_the_same_seed(bot: str) -> None:
    matches = [Match(bot, "random", 2, GameConfig(chapters="growth", max_turns=30), seed=seed) for seed in (1, 1, 2)]
    first, again, other = [[record["actions"] for record in match.play()] for match in matches]
    assert first == again != other


def test_each_is_short() -> None:
    for path in BOTS.glob("random_bot.*"):
        lines = [line for line in path.read_text("utf-8").splitlines() if not re.fullmatch(r"\s*", line)]
        assert len(lines) <= 50, f"{path.name} has {len(lines)} lines"
