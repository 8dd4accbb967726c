"""`tkm bot new`: the starter bots play, each in its language.

A bot is skipped if its compiler is not installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tkm_env import ConfigError, FileError, GameConfig
from tkm_env.arena.bot_templates import LANGUAGES, template_of, write_bot
from tkm_env.arena.match import Match
from tkm_env.arena.protocol_check import check
from tkm_env.arena.tournament.submissions import entrants_at
from tkm_env.cli.root_command import tkm

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(tkm, ["bot", *arguments], catch_exceptions=False)


@pytest.fixture(scope="module", params=LANGUAGES)
def bot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The line of a new bot, as a folder of submissions describes it."""
    folder = tmp_path_factory.mktemp("bots") / "a new bot"
    if missing := [tool for tool in LANGUAGES[request.param].needs if shutil.which(tool) is None]:
        pytest.skip(f"needs {', '.join(missing)}")
    if folder / "build" in write_bot(request.param, folder):
        subprocess.run([folder / "build"], check=True)
    (entrant,) = entrants_at(folder)
    return entrant.line


@pytest.mark.nightly
@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_it_passes_every_step(bot: str, game: str) -> None:
    assert not [
        f"{step.name}: {error}" for step, _, error, _ in check(bot, game) if error is not None
    ]


@pytest.mark.slow
def test_it_plays_a_match_the_same_from_the_same_seed(bot: str) -> None:
    matches = [
        Match(bot, "random", 2, GameConfig(chapters="growth", max_turns=30), seed=seed)
        for seed in (1, 1, 2)
    ]
    first, again, other = [[record["actions"] for record in match.play()] for match in matches]
    assert first == again != other


def test_each_is_short_and_compiles_without_a_warning(tmp_path: Path) -> None:
    for language in LANGUAGES:
        for name, content in template_of(language).items():
            lines = [
                line for line in content.decode().splitlines() if not re.fullmatch(r"\s*", line)
            ]
            assert len(lines) <= 50, f"{language}'s {name} has {len(lines)} lines"
    for language, tool, options in (
        ("c", "cc", ("-Wall", "-Wextra", "-Werror")),
        ("rust", "rustc", ("-D", "warnings")),
    ):
        if shutil.which(tool) is not None:
            (source,) = [path for path in write_bot(language, tmp_path / language) if path.suffix]
            subprocess.run([tool, *options, "-o", str(tmp_path / "bot"), str(source)], check=True)


def test_a_new_bot_says_what_to_do_next(tmp_path: Path) -> None:
    folder = tmp_path / "my bot"
    result = run("new", "java", str(folder))
    assert result.output.splitlines() == [
        f"wrote {folder}/Bot.java",
        f"wrote {folder}/build",
        f"wrote {folder}/run",
        "it needs javac and java",
        f"  '{folder}/build'",
        f"  tkm arena check '{folder}'",
        f"  tkm match 'cmd:'\"'\"'{folder}/run'\"'\"'' greedy",
    ]
    assert [path.name for path in sorted(folder.iterdir()) if path.stat().st_mode & 0o111] == [
        "build",
        "run",
    ]
    with pytest.raises(
        FileError, match=r"the folder holds no bot\.py, agent\.py or run; run its build first"
    ):
        entrants_at(write_bot("c", tmp_path / "c")[0].parent)


def test_a_new_bot_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine", "utf-8")
    result = run("new", "shell", str(tmp_path))
    assert result.exit_code == 2
    assert "it cannot be written: File exists" in result.output
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == ["mine"]
    with pytest.raises(ConfigError, match="language='cobol' is invalid: it must be 'python', "):
        template_of("cobol")


def test_a_player_is_served_with_and_without_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[list[str]] = []
    monkeypatch.setattr("tkm_env.arena.commands.bot.main", served.append)
    for arguments in (
        ["greedy"],
        ["serve", "greedy"],
        ["--game", "terminus", "greedy"],
        ["greedy", "--game", "terminus"],
    ):
        assert run(*arguments).exit_code == 0
    assert served == [
        ["greedy", "tkm"],
        ["greedy", "tkm"],
        ["greedy", "terminus"],
        ["greedy", "terminus"],
    ]
    assert {"new", "serve"} <= {*run("--help").output.split()}
