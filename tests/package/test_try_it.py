"""The play page in the site: links to it, what they open, and the Pyodide that it needs."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

pytest.importorskip("myst_parser", reason="needs the extra [docs]")
pytest.importorskip("flask", reason="needs the extra [play]")

from tests.cases import MadeOnce
from tests.site import ROOT, build_some
from tkm_env.core.registry import game_spec
from tkm_env.core.rulebook_text import Example

BROWSER = ROOT / "docs" / "browser"
pytestmark = pytest.mark.slow
_WHEEL = "numpy-1-wasm32.whl"
#: Asks the application for what addresses name, as ``address.js`` does, plays an action, and prints
#: the position before and the status after it.
_OPEN = """
import json, sys
from urllib.parse import parse_qsl
sys.path.insert(0, sys.argv[1])
import bridge

def ask(path, body=None):
    status, _, text = bridge.answer(path, None if body is None else json.dumps(body), "en")
    return status, json.loads(text)

READ = {"number": int, "switch": lambda text: text.lower() == "true"}
told = []
bridge.begin()
for query, action in json.load(sys.stdin):
    given = dict(parse_qsl(query))
    ask("/api/switch", {"game": given.pop("game", "tkm")})
    rows = [row for rows in ask("/api/settings")[1].values() for row in rows]
    kinds = {row["keyword"]: row["kind"] for row in rows}
    body = {name: READ.get(kinds[name], str)(text) for name, text in given.items()}
    _, state = ask("/api/new", body)
    asked = {"version": state["version"], "action": action or state["choices"][0]["name"]}
    told.append([state["position"], ask("/api/play", asked)[0]])
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a distribution of Pyodide, none of which runs."""
    return _distribution(tmp_path_factory.mktemp("pyodide"))


def _distribution(folder: Path) -> Path:
    for name in ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"):
        (folder / name).write_text(name)
    (folder / _WHEEL).write_text("a wheel")
    numpy = {"file_name": _WHEEL, "sha256": hashlib.sha256(b"a wheel").hexdigest()}
    (folder / "pyodide-lock.json").write_text(json.dumps({"packages": {"numpy": numpy}}))
    return folder


@pytest.fixture(scope="module")
def site(made_once: MadeOnce, distribution: Path) -> Path:
    """The site's pages with positions, and the play page."""

    def fill(root: Path) -> None:
        built = build_some(
            root / "html",
            "rules.md",
            "rules/*",
            "terminus.md",
            "drawing.md",
            "games/*",
            pyodide=distribution,
        )
        assert built.returncode == 0, built.stderr

    return made_once("positions-site", fill) / "html"


def _links(page: Path) -> list[tuple[Path, str]]:
    """The links of a page to the play page: the file and the query."""
    found = re.findall(r'href="([^"?]*play/index\.html)(?:\?([^"]*))?"', page.read_text("utf-8"))
    return [((page.parent / address).resolve(), html.unescape(query)) for address, query in found]


def _examples() -> Iterator[tuple[Mapping[str, Any], Example]]:
    """Every example of the rules of each game, with its query."""
    for name in ("tkm", "terminus"):
        for section in game_spec(name).rules_for():
            for example in section.examples:
                game = {"game": name} if name != "tkm" else {}
                yield (
                    {
                        **game,
                        **example.settings,
                        "position": example.position,
                        "opponent": "person",
                    },
                    example,
                )


@pytest.mark.slow
def test_every_position_of_the_rules_can_be_tried(site: Path) -> None:
    assert not _links(site / "rules.html")
    links = [link for page in (site / "rules").glob("*.html") for link in _links(page)]
    assert {page for page, _ in links} == {site / "play" / "index.html"}
    assert sorted(sorted(parse_qsl(query)) for _, query in links) == sorted(
        sorted(asked.items()) for asked, _ in _examples()
    )


def test_every_drawn_position_can_be_tried(site: Path) -> None:
    for page, number in (
        ("index", 1),
        ("games/growth", 1),
        ("games/convergence", 1),
        ("terminus", 3),
        ("drawing", 10),
        ("games/index", 0),
    ):
        links = _links(site / f"{page}.html")
        assert [target for target, _ in links] == [site / "play" / "index.html"] * number, page


@pytest.mark.slow
def test_links_open_their_positions_in_plain_python_to_play_on_from(site: Path) -> None:
    firsts = {example.position: example.actions[0] for _, example in _examples() if example.actions}
    queries = sorted({query for page in site.rglob("*.html") for _, query in _links(page) if query})
    links = [dict(parse_qsl(query)) for query in queries]
    asked = [
        (query, firsts.get(link.get("position", "")))
        for query, link in zip(queries, links, strict=True)
    ]
    command = [sys.executable, "-c", _OPEN, BROWSER]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run(
        command,
        input=json.dumps(asked),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [
        game_spec(link.get("game", "tkm"))
        .game_class(position=link.get("position"))
        .visible_position
        for link in links
    ]
    assert len(links) > 60
    assert json.loads(told.stdout) == [[position, 200] for position in expected]


@pytest.mark.slow
def test_without_a_distribution_nothing_leads_to_the_page(tmp_path: Path) -> None:
    built = build_some(tmp_path / "html", "rules.md", "play.md")
    assert built.returncode == 0, built.stderr
    assert not any(_links(page) for page in (tmp_path / "html").rglob("*.html"))
    assert not (tmp_path / "html" / "play").exists()
    words = re.sub("<[^>]+>", "", (tmp_path / "html" / "play.html").read_text("utf-8"))
    assert "PYODIDE=FOLDER sphinx-build" in words


def test_a_wrong_distribution_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"a wheel").hexdigest()
    for number, (name, content, reason) in enumerate(
        (
            ("pyodide.asm.wasm", None, "pyodide.asm.wasm missing"),
            ("pyodide-lock.json", None, "pyodide-lock.json missing"),
            (_WHEEL, None, f"the distribution's wheel of NumPy has to lie there as well, {_WHEEL}"),
            (_WHEEL, "another", f"{_WHEEL} is another file: its SHA-256 must be {digest}"),
        )
    ):
        folder, page = tmp_path / f"pyodide{number}", tmp_path / f"page{number}"
        folder.mkdir()
        _distribution(folder)
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(content)
        told = subprocess.run(
            [sys.executable, BROWSER / "build.py", folder, page], capture_output=True, text=True
        )
        assert (told.returncode, page.exists()) == (2, False), reason
        assert reason in told.stderr
        assert "Traceback" not in told.stderr, reason


@pytest.mark.slow
def test_the_site_is_not_built_with_half_a_distribution(tmp_path: Path) -> None:
    built = build_some(tmp_path / "html", pyodide=tmp_path)
    assert built.returncode == 2
    assert "pyodide-lock.json missing" in built.stderr
    assert not (tmp_path / "html" / "index.html").exists()
