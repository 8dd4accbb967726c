"""No public name, option, index or version changes unnoticed, and what is experimental says so."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from typing_extensions import deprecated

ROOT = Path(__file__).parents[2]
STABILITY = (ROOT / "docs/stability.md").read_text("utf-8")
#: How the message of a deprecated name ends.
PROMISE = re.compile(r"; deprecated since \d+\.\d+, to be removed in \d+\.0$")


@pytest.mark.slow
def test_the_public_surface_is_the_one_that_is_described() -> None:
    command = [sys.executable, "docs/public_surface.py", "--check"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


SURFACE = """\
# Names

class tkm_env.Game(chapters: Chapters = ...)
tkm_env.Game.play(action: int | str) -> None
tkm_env.Game.winner: str | None
experimental tkm_env.Game.guess(depth: int) -> float
gymnasium.make tkm_env/TKM-v0(*, opponent='random')
tkm match: FIRST SECOND
tkm match --seed: INTEGER
GET /api/tables/{table} (table): 200
tkm_env.rosters: terminus tkm
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("tkm_env.Game.winner: str | None\n", "", "gone: tkm_env.Game.winner"),
        ("tkm_env/TKM-v0", "tkm_env/TKM-v1", "gone: gymnasium.make tkm_env/TKM-v0"),
        ("tkm match --seed: INTEGER\n", "", "gone: tkm match --seed"),
        ("(action: ", "(move: ", "changed: tkm_env.Game.play(action"),
        ("(action: int | str)", "(action: int | str, at: int)", "changed: tkm_env.Game.play"),
        ("FIRST SECOND", "FIRST SECOND THIRD", "changed: tkm match: FIRST SECOND\n"),
        ("(table): 200", "(table): 201", "changed: GET /api/tables/{table}"),
        ("# Names\n", "# Names\n\ntkm_env.Game.more: int\n", None),
        (
            "tkm_env.Game.play",
            "experimental tkm_env.Game.play",
            "experimental now: tkm_env.Game.play",
        ),
        ("experimental tkm_env.Game.guess(depth: int) -> float\n", "", None),
        ("opponent='random'", "opponent='random', side='white'", None),
        ("(action: int | str)", "(action: int | str, at: int = 0)", None),
    ],
)
def test_against_a_release_only_what_it_promised_is_told(
    old: str, new: str, told: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    broken = import_module("public_surface").broken
    assert old in SURFACE
    assert [line.startswith(told) for line in broken(SURFACE, SURFACE.replace(old, new))] == (
        [True] if told else []
    )


def experimental_items() -> list[tuple[list[str], str]]:
    """The names in each item of the page's list, and the page that the item leads to."""
    section = STABILITY.partition("## What is experimental")[2].partition("\n## ")[0]
    items = []
    for item in section.split("\n- ")[1:]:
        names, _, page = item.partition(": [")
        members, _, classes = names.rpartition(" of ")
        quoted = [re.findall(r"`([\w.]+)`", part) for part in (members, classes)]
        found = [f"{name}.{member}" for member in quoted[0] for name in quoted[1]] or quoted[1]
        items.append((found, page.partition("](")[2].partition(".md")[0] + ".md"))
    return items


def test_what_is_experimental_says_so_at_its_name() -> None:
    """The lines of the surface come from the docstrings; members of such a class are not listed."""
    surface = (ROOT / "docs/public_surface.txt").read_text("utf-8")
    lines = re.findall(r"^experimental (?:class )?([\w.]+)", surface, re.MULTILINE)
    marked = {name for name in lines if name.rpartition(".")[0] not in lines}
    assert {name for names, _ in experimental_items() for name in names} == marked


def test_a_page_about_something_experimental_says_so() -> None:
    for names, page in experimental_items():
        words = (ROOT / "docs" / page).read_text("utf-8")
        assert "stability.md#what-is-experimental" in words, (page, names)


def undated(source: str) -> list[str]:
    """The messages of ``@deprecated`` in a module that lack the promise."""
    calls = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("deprecated")
    ]
    return [text for text in (ast.unparse(call.args[0]) for call in calls) if not dated(text)]


def dated(literal: str) -> bool:
    return PROMISE.search(literal.strip("'\"")) is not None


def test_deprecated_names_say_since_when_until_when_and_what_to_use() -> None:
    good = '@deprecated("use `play`; deprecated since 1.2, to be removed in 2.0")\ndef move(): ...'
    assert undated(good) == []
    for bad in ("use `play`", "use `play`; deprecated since 1.2", "removed in 2.0"):
        assert undated(good.replace("use `play`; deprecated since 1.2, to be removed in 2.0", bad))
    sources = (ROOT / "tkm_env").rglob("*.py")
    assert {path: found for path in sources if (found := undated(path.read_text("utf-8")))} == {}


def test_a_deprecated_name_warns_where_it_is_used_and_still_works() -> None:
    @deprecated("use `play`; deprecated since 1.2, to be removed in 2.0")
    def move(step: int) -> int:
        return step + 1

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert move(1) == 2
    (warning,) = caught
    assert warning.category is DeprecationWarning
    assert warning.filename == __file__
    assert PROMISE.search(str(warning.message))


@pytest.mark.slow
def test_a_deprecated_option_warns_on_standard_error_and_still_works() -> None:
    message = "use --number; deprecated since 1.2, to be removed in 2.0"

    @click.command()
    @click.option("--count", type=int, deprecated=message)
    def told(count: int) -> None:
        click.echo(count)

    done = CliRunner().invoke(told, ["--count", "2"])
    assert (done.exit_code, done.stdout) == (0, "2\n")
    assert message in done.stderr
