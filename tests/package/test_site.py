"""The site builds without warnings, its links work, and it documents all public names.

It works in search and on a phone.
"""

from __future__ import annotations

import re
import shutil
import sys
import zlib
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from PIL import ImageColor

pytest.importorskip("sphinx_gallery", reason="needs the extra [docs]")

from tests.browser import NewPage
from tests.cases import MadeOnce
from tests.site import ROOT, build, hosted

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(made_once: MadeOnce) -> Path:
    return made_once("site", _build) / "html"


def _build(root: Path) -> None:
    """Build the site from a copy of the documents, since the gallery writes into their folder."""
    shutil.copytree(
        ROOT / "docs", root / "docs", ignore=shutil.ignore_patterns("tutorials", "__pycache__")
    )
    for name in ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"):
        shutil.copy(ROOT / name, root)  # whose links are relative to their place
    for name in ("benchmarks", "examples", "tests", "tkm_env"):
        (root / name).symlink_to(ROOT / name)
    built = build(root / "docs", root / "html", "-W", "--keep-going", "-n")
    assert built.returncode == 0, built.stderr[-6000:]


def _modules() -> tuple[Any, ...]:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from api_page import MODULES
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return MODULES


def test_every_public_name_is_documented_and_no_private_one(site: Path) -> None:
    entries = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    found = {
        name
        for name, python, _ in (line.partition(" py:") for line in entries.splitlines())
        if python
    }
    public = {f"{module.name}.{name}" for module in _modules() for name in module.public}
    assert public <= found
    private = {
        name
        for name in found
        for part in name.split(".")
        if part.startswith("_") and not part.endswith("__")
    }
    assert not private


def test_signatures_show_types(site: Path) -> None:
    page = re.sub(r"<[^>]+>", "", (site / "api" / "tkm_env.html").read_text("utf-8"))
    assert re.search(
        r"observe\(\s*observations: NDArray\[Any\],\s*viewers: NDArray\[int64\] \| None = None",
        page,
    )
    assert "property masks: NDArray[int8]" in page


def test_what_examples_import_is_documented() -> None:
    """By name or as a module with a page: users can look up everything in the examples."""
    documented = {f"{module.name}.{name}" for module in _modules() for name in module.public} | {
        module.name for module in _modules()
    }
    documents = [
        ROOT / "README.md",
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("docs/[!t]*/*.md"),
        *ROOT.glob("examples/**/*.py"),
    ]
    imported = set()
    for document in documents:
        text = document.read_text("utf-8")
        for module, names in re.findall(
            r"^from (tkm_env[\w.]*) import ([\w, ]+)", text, re.MULTILINE
        ):
            imported |= {f"{module}.{name.strip()}" for name in names.split(",")}
        imported |= set(re.findall(r"^import (tkm_env[\w.]*)", text, re.MULTILINE))
    assert len(imported) > 20
    assert imported <= documented


class _Links(HTMLParser):
    """The targets of a page's links, and the anchors in it."""

    def __init__(self, page: Path, inside: str = "html") -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        text = page.read_text("utf-8")
        self.feed(text[text.index(f"<{inside}") : text.rindex(f"</{inside}>")])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.targets.append(value)
            elif value and name == "id":
                self.places.add(value)


def test_links_lead_to_files_and_places_of_the_site(site: Path) -> None:
    pages = {page: _Links(page) for page in site.rglob("*.html")}
    broken = []
    for page, links in pages.items():
        for target in links.targets:
            if re.match(r"[a-z]+:|//", target):
                continue
            address, place = urldefrag(target.partition("?")[0] if "#" not in target else target)
            found = (page.parent / unquote(address)).resolve() if address else page
            if not found.exists() or (
                place and found in pages and unquote(place) not in pages[found].places
            ):
                broken.append(f"{page.relative_to(site)} leads to {target}")
    assert not broken


@pytest.fixture
def host(site: Path) -> Iterator[str]:
    """The address of the site on a static host: browsers do not load search results from disk."""
    with hosted(site) as address:
        yield address


def test_the_search_finds_words_of_the_rules(host: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{host}index.html")
    page.locator(".sidebar-search").fill("propagate")
    page.locator(".sidebar-search").press("Enter")
    found = page.locator("#search-results ul.search li a")
    found.first.wait_for()
    assert any("rulings" in str(link.get_attribute("href")) for link in found.all())


#: What readers search for, and the page that answers it.
ANSWERS = {
    "install": "install",
    "windows": "systems",
    "action mask": "faces/stable-baselines3",
    "mask library": "which-mask",
    "observation planes": "observation",
    "action index": "actions",
    "reward": "rewards",
    "seed": "seeds",
    "opponent": "opponents",
    "vector environment": "faces/vector",
    "self-play": "selfplay",
    "AlphaZero": "alphazero",
    "whole turns": "turns",
    "own agent": "adding-an-agent",
    "rating": "ratings",
    "benchmark": "benchmark",
    "tournament": "tournaments",
    "sandbox": "sandbox",
    "protocol": "protocol",
    "assignment": "teaching",
    "late submission": "grading",
    "language model": "language-models",
    "position": "positions",
    "elephants": "rules/memory",
    "illegal action": "illegal-actions",
    # names of the API, and words that are in no title
    "OpponentPool": "api/tkm_env",
    "evaluate": "api/tkm_env-evaluation",
    "deadline": "grading",
}


@pytest.mark.parametrize(("words", "answer"), ANSWERS.items())
def test_the_first_two_hits_of_the_search_answer(
    host: str, new_page: NewPage, words: str, answer: str
) -> None:
    page = new_page()
    page.goto(f"{host}index.html")
    page.locator(".sidebar-search").fill(words)
    page.locator(".sidebar-search").press("Enter")
    page.locator("#search-results .search-summary").filter(has_text="found").wait_for()
    hits = page.locator("#search-results ul.search > li > a")
    hits.first.wait_for()
    found = [urldefrag(str(hit.get_attribute("href"))).url for hit in hits.all()[:2]]
    assert f"{answer}.html" in found


def _pages_linked_from(page: Path) -> set[Path]:
    """The pages to which the text of a page leads, without its sidebars."""
    targets = (urldefrag(target).url for target in _Links(page, inside="article").targets)
    return {(page.parent / unquote(target)).resolve() for target in targets if target}


def test_each_answer_is_two_clicks_from_the_landing_page(site: Path) -> None:
    landing = (site / "index.html").resolve()
    reached = _pages_linked_from(landing)
    reached |= {
        beyond
        for page in reached
        if page.suffix == ".html" and page.is_file()
        for beyond in _pages_linked_from(page)
    }
    missing = [
        name for name in ANSWERS.values() if (site / f"{name}.html").resolve() not in reached
    ]
    assert not missing


#: Pixels, at a width of 1,280: about ten screens.
LONGEST = 8000


def test_no_page_is_long_and_none_is_cut_on_a_phone(site: Path, new_page: NewPage) -> None:
    sizes = {"height": (1280, "scrollHeight", LONGEST), "width": (390, "scrollWidth", 390)}
    found = []
    for size, (width, measure, most) in sizes.items():
        page = new_page(viewport={"width": width, "height": 800})
        for path in sorted(site.rglob("*.html")):
            page.goto(path.as_uri(), wait_until="load")
            measured = page.evaluate(f"document.documentElement.{measure}")
            if measured > most:
                found.append(f"{path.relative_to(site)}: {size} {measured}")
    assert not found


@pytest.mark.parametrize("place", ["api/tkm_env.html#tkm_env.Game.copy", "performance.html#memory"])
def test_a_link_to_a_folded_place_shows_it(site: Path, new_page: NewPage, place: str) -> None:
    name, _, anchor = place.partition("#")
    page = new_page()
    page.goto(f"{(site / name).as_uri()}#{anchor}")
    page.locator(f"[id='{anchor}']").wait_for(state="visible")


#: Pages with boards, with plots of the documents, with those of tutorials.
PICTURED = (
    "index",
    "rules",
    "rules/growth",
    "the-game",
    "performance",
    "tutorials/index",
    "tutorials/plot_3_self_play",
)


@pytest.mark.parametrize(("scheme", "ground"), [("light", "#faf7f0"), ("dark", "#1d1f25")])
def test_pictures_follow_the_theme(site: Path, new_page: NewPage, scheme: Any, ground: str) -> None:
    page = new_page(color_scheme=scheme)
    for name in PICTURED:
        page.goto((site / f"{name}.html").as_uri())
        assert (
            page.evaluate("getComputedStyle(document.body).backgroundColor")
            == f"rgb{ImageColor.getrgb(ground)}"
        ), name
        pictures = [
            picture for picture in page.locator("article img").all() if picture.is_visible()
        ]
        assert pictures, name
        for picture in pictures:
            address = str(picture.get_attribute("src"))
            kept, _, encoded = address.partition(",")
            drawn = (
                b64decode(encoded).decode()
                if encoded
                else ((site / name).parent / kept).read_text("utf-8")
            )
            assert ground in drawn, f"{name}: {address[:80]} is not {scheme}"
            assert picture.get_attribute("loading") == "lazy", (
                f"{name}: {address[:80]} is fetched before it is seen"
            )


@pytest.mark.parametrize(("scheme", "widths"), [("light", (1280, 390)), ("dark", (1280,))])
def test_axe_finds_nothing_but_what_is_the_themes(
    host: str, new_page: NewPage, scheme: Any, widths: tuple[int, ...]
) -> None:
    """The theme's two asides have no names."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs the extra [dev]"
    ).Axe()
    for width in widths:
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
        for name in ("index", "rules", "performance", "tutorials/index", "gymnasium"):
            page.goto(f"{host}{name}.html")
            found = axe.run(
                page, options={"rules": {"landmark-unique": {"enabled": False}}}
            ).response["violations"]
            assert not found, (
                f"{name} at {width}: {[(one['id'], one['nodes'][0]['html']) for one in found]}"
            )


@pytest.mark.parametrize("width", [1280, 390])
def test_no_line_of_code_is_cut(site: Path, new_page: NewPage, width: int) -> None:
    page = new_page(viewport={"width": width, "height": 800})
    for name in (
        "gymnasium",
        "adding-a-game",
        "ratings",
        "terminus",
        "tutorials/plot_3_self_play",
        "api/tkm_env",
    ):
        page.goto((site / f"{name}.html").as_uri())
        cut = (
            "[...document.querySelectorAll('article pre')].filter(code => code.scrollWidth > "
            "code.clientWidth + 1).length"
        )
        assert page.evaluate(cut) == 0, name
