"""The tests of a room use no product above it, so that a product can be deleted with its tests."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
#: Products, and those that each stands on.
STANDS_ON = {
    "cli": {"cli"},
    "web": {"web"},
    "arena": {"arena", "web"},
    "play": {"play", "web"},
    "course": {"course", "arena", "web"},
}


def _modules_in(source: str) -> Iterator[str]:
    """What a test imports, patches, has a program import, or starts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\b(?:tkm_env|tests)(?:\.\w+)+", node.value)
        elif isinstance(node, ast.List | ast.Tuple | ast.Call):
            words = [
                getattr(word, "value", None)
                for word in (node.args if isinstance(node, ast.Call) else node.elts)
            ]
            if ("-m", "tkm_env") in itertools.pairwise(words):
                yield "tkm_env.cli"


def _products_of(module: str) -> set[str]:
    """The products that a module of the package or of its tests belongs to."""
    _, room, *rest = [*module.split("."), ""]
    if module.partition(".")[0] not in ("tkm_env", "tests") or room not in STANDS_ON:
        return set()
    return {room, "cli"} if rest[0] == "commands" else {room}


def misplaced(tests: Path) -> list[str]:
    """The tests that use a product which may be absent while they run, each with what they use."""
    found: list[str] = []
    for path in sorted(tests.rglob("*.py")):
        room, *folders = path.relative_to(tests).parts
        if room == "package" or "attacks" in folders:
            continue
        allowed = STANDS_ON.get(room, set()) | ({"cli"} if "commands" in folders else set())
        found += [
            f"{path.relative_to(tests).as_posix()} uses {module}"
            for module in _modules_in(path.read_text("utf-8"))
            if not _products_of(module) <= allowed
        ]
    return found


def test_no_test_uses_a_product_that_may_be_absent() -> None:
    assert not misplaced(TESTS)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("core/test_batch.py", "from tkm_env.arena.match import Match"),
        ("envs/test_aec.py", "def test() -> None:\n    from tkm_env import play"),
        ("players/test_policy.py", "import tkm_env.cli.commands"),
        ("learn/test_sb3.py", "from tests.arena.results_files import finished"),
        ("text/test_env.py", "patch('tkm_env.arena.playing.retries.PAUSES', ())"),
        ("games/test_third_game.py", "run([python, '-m', 'tkm_env', 'match'])"),
        ("render/test_replay.py", "run('-m', 'tkm_env', 'replay')"),
        ("cases.py", "from tkm_env.course import assignment"),
        ("arena/test_match.py", "from tkm_env.play.session import Session"),
        ("arena/test_rating.py", "from tkm_env.cli.root_command import tkm"),
        ("play/test_play.py", "from tkm_env.play.commands import play"),
        ("play/commands/test_play.py", "from tkm_env.arena.match import Match"),
        ("cli/test_cli.py", "from tkm_env.arena.commands import match"),
    ],
)
def test_a_test_that_uses_a_product_above_it_is_found(
    file: str, source: str, tmp_path: Path
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, "utf-8")
    assert len(misplaced(tmp_path)) == 1


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("core/test_batch.py", "from tkm_env.players import GreedyAgent"),
        ("course/test_marks.py", "from tkm_env.arena.match import Match"),
        ("arena/commands/test_match.py", "from tkm_env.cli.root_command import tkm"),
        ("package/test_docs.py", "import tkm_env.cli, tkm_env.play, tkm_env.course"),
    ],
)
def test_a_test_may_use_what_it_stands_on(file: str, source: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, "utf-8")
    assert not misplaced(tmp_path)
