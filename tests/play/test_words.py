"""The page's own words are in its catalogue, and nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.play.page import Serve

PAGE = files("tkm_env.play") / "page"
CATALOGUE: dict[str, str] = json.loads((PAGE / "words" / "en.json").read_text("utf-8"))
HTML = (PAGE / "index.html").read_text("utf-8")
#: The module that takes the place of ``server.js`` where no server answers.
_WITHOUT_SERVER = Path(__file__).parents[2] / "docs" / "browser" / "server.js"


def scripts() -> str:
    modules = [path for path in PAGE.iterdir() if path.name.endswith(".js")]
    return "\n".join(path.read_text("utf-8") for path in [*modules, _WITHOUT_SERVER])


def test_the_page_has_no_words_beside_those_of_its_catalogue() -> None:
    body = HTML.split("<body>")[1]
    without_keys = re.sub(r"<kbd>.*?</kbd>", "", body)
    assert re.findall(r"[a-z]{2,}", re.sub(r"<[^>]*>", "", without_keys)) == []
    assert re.findall(r' (?:aria-label|title|placeholder)="', body) == []


def test_every_key_has_words_and_all_words_are_used() -> None:
    program = scripts()
    keys = {re.sub(r"_(one|other)$", "", key) for key in CATALOGUE} - {"locale"}
    used = {*re.findall(r'data-(?:say|label)="([^"]*)"', HTML)}
    used |= {*re.findall(r'say\("([^"]*)"', program)}
    assert used <= keys
    assert all(f'"{key}"' in program for key in keys - used)


def test_forms_for_numbers_come_together_and_are_asked_for_with_a_number() -> None:
    ones = {key.removesuffix("_one") for key in CATALOGUE if key.endswith("_one")}
    assert ones == {key.removesuffix("_other") for key in CATALOGUE if key.endswith("_other")}
    assert all(re.search(rf'"{key}".*\bcount\b', scripts()) for key in ones)


#: Around every word of the page, so that words from elsewhere stand out.
OPEN, CLOSE = "⟦⟧"


def pseudo_language() -> dict[str, str]:
    return {
        key: words if key == "locale" else f"{OPEN}{words}{CLOSE}"
        for key, words in CATALOGUE.items()
    }


def strings_in(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        yield from content
        for value in content.values():
            yield from strings_in(value)
    elif isinstance(content, list):
        for value in content:
            yield from strings_in(value)


@pytest.mark.slow
def test_in_a_pseudo_language_only_the_servers_words_stay_english(serve: Serve, page: Page) -> None:
    from tests.play.page import opened, play_some
    from tkm_env.games.registry import TKM
    from tkm_env.play.session import Session

    told: set[str] = set()

    def hear(route: Route) -> None:
        answer = route.fetch()
        if answer.headers.get("content-type") == "application/json":
            told.update(text.lower() for text in strings_in(answer.json()))
        route.fulfill(response=answer)

    page.route("**/api/**", hear)
    page.route("**/words/en.json", lambda route: route.fulfill(json=pseudo_language()))
    opened(page, serve(Session(TKM, {"concede": True}, seed=1, opponent="random")))

    def check(screen: str) -> None:
        for text in page.evaluate(_VISIBLE):
            left = text
            while re.search(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", left):
                left = re.sub(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", "\n", left)
            parts = [part.strip(" .:;,()0123456789") for part in re.split(r"\n|[·(]|[.:;,] ", left)]
            strange = [
                part
                for part in parts
                if re.search(r"[A-Za-z]{2}", part)
                and not any(part.lower() in known for known in told)
            ]
            assert not strange, f"{screen}: {strange} in {text!r}"

    page.wait_for_selector("#actions [data-action]")
    check("a game")
    for opening, shown, closing in (
        ("#new", "#fields .field", "#cancel"),
        ("#learn", "#sets button", "#lessons-close"),
        ("#help", "#rules li", "#about menu button"),
        ("#edit", "#editor-fields .field", "#editor-cancel"),
    ):
        page.click(opening)
        page.locator(shown).first.wait_for()
        check(opening)
        page.click(closing)
    play_some(page)
    page.click("#advise")
    page.wait_for_selector("#hint strong")
    check("a hint")
    page.click("#study-open")
    page.wait_for_selector("#lines button")
    check("study")
    page.click("#study-close")
    page.click("#options summary")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click('#talk [data-action="concede"]')
    page.wait_for_selector("#over:not([hidden])")
    check("the end")


#: The visible words of a page, and those for screen readers.
_VISIBLE = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const near = node.parentElement;
    if (near.checkVisibility() && !near.closest("svg, kbd, code, .definitions")) {
      found.push(node.textContent);
    }
  }
  for (const one of document.querySelectorAll("[aria-label], [placeholder]")) {
    if (!one.checkVisibility()) continue;
    found.push(one.ariaLabel ?? "", one.placeholder ?? "");
  }
  return found;
}"""
