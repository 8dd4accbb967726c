"""All words that reach the page are in its catalogues, and nowhere else."""

from __future__ import annotations

import importlib.util
import re
import string
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")

import polib
from werkzeug.test import TestResponse

from tkm_env.core.registry import game_spec
from tkm_env.foundations.message import Message
from tkm_env.play import languages
from tkm_env.play.app import new_app
from tkm_env.play.invitations import Invitation
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.play.page import Serve

DOCS = Path(__file__).parents[2] / "docs"
HTML = (files("tkm_env.play") / "page" / "index.html").read_text("utf-8")
#: Around every word of the pseudo-language, so that words from elsewhere stand out.
OPEN, CLOSE = "⟦⟧"
#: The code of the pseudo-language.
PSEUDO = "eo"
#: Names that are the same in every language.
NAMES = ("That Time You Killed Me", "Terminus", "tkm play --browser --match", "Español", "English")
#: The keys of answers whose values no person reads.
FOR_PROGRAMS = {
    *(
        "action",
        "actions",
        "background",
        "boards",
        "card",
        "choice",
        "choices",
        "default",
        "error",
        "game",
    ),
    *("games", "given", "glyphs", "graph", "icon", "icons", "id", "judgement", "keyword", "kind"),
    *(
        "marks",
        "match",
        "moves",
        "name",
        "obvious",
        "parts",
        "place",
        "player",
        "players",
        "position",
    ),
    *(
        "preview",
        "runs",
        "server",
        "session",
        "set",
        "setting",
        "side",
        "slots",
        "themes",
        "title",
        "to_act",
    ),
    *("value", "values", "winner"),
}


def script() -> Any:
    """The program that brings catalogues up to date."""
    pytest.importorskip("polib", reason="needs the extra [play]")
    found = importlib.util.spec_from_file_location("catalogues", DOCS / "catalogues.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


CATALOGUES = [path.stem for path in (Path(languages.__file__).parent / "catalogues").glob("*.po")]


def catalogue(language: str) -> Any:
    return polib.pofile((languages.CATALOGUES / f"{language}.po").read_text("utf-8"))


def parameters(text: str) -> set[tuple[str, ...]]:
    return {
        (name, form or "", conversion or "")
        for _, name, form, conversion in string.Formatter().parse(text)
        if name
    }


def test_the_page_has_no_words_beside_those_that_it_looks_up() -> None:
    body = HTML.split("<body>")[1]
    marked = re.sub(r"<(\w+)[^>]* data-say>[^<]*</\1>|<kbd>.*?</kbd>", "", body)
    assert re.findall(r"[a-z]{2,}", re.sub(r"<[^>]*>", "", marked)) == []
    assert re.findall(r' (?:title|placeholder)="', body) == []


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_catalogue_has_an_entry_for_all_that_is_said_and_for_nothing_else(language: str) -> None:
    said = {(each.context, each.text, each.plural) for each in script().entries()}
    found = {(each.msgctxt, each.msgid, each.msgid_plural) for each in catalogue(language)}
    assert {"missing": said - found, "left over": found - said} == {
        "missing": set(),
        "left over": set(),
    }, "run: python docs/catalogues.py"


@pytest.mark.parametrize("language", CATALOGUES)
def test_every_entry_has_words_with_the_same_parameters(language: str) -> None:
    found = catalogue(language)
    forms = int(found.metadata["Plural-Forms"].partition("nplurals=")[2].partition(";")[0])
    for entry in found:
        assert entry.msgstr or entry.msgid_plural, f"{entry.msgid!r} has no words"
        if not entry.msgid_plural:
            assert parameters(entry.msgstr) == parameters(entry.msgid), entry.msgid
            continue
        assert [*entry.msgstr_plural] == [*range(forms)], entry.msgid
        allowed = parameters(entry.msgid) | parameters(entry.msgid_plural)
        for words in entry.msgstr_plural.values():
            assert words, f"{entry.msgid!r} lacks the words for some numbers"
            assert parameters(words) <= allowed, entry.msgid


# A language in which whatever comes from a catalogue stands between brackets.


@pytest.fixture(scope="module")
def pseudo_catalogue() -> Any:
    """The catalogue of the pseudo-language."""
    module = script()
    found = module.updated(module.begun(PSEUDO))
    for entry in found:
        if entry.msgid_plural:
            both = (entry.msgid, entry.msgid_plural)
            entry.msgstr_plural = {
                number: f"{OPEN}{words}{CLOSE}" for number, words in enumerate(both)
            }
        else:
            entry.msgstr = f"{OPEN}{entry.msgid}{CLOSE}"
    return found


@pytest.fixture
def pseudo_language(
    pseudo_catalogue: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The code of the pseudo-language, which the page offers."""
    pseudo_catalogue.save(str(tmp_path / f"{PSEUDO}.po"))
    monkeypatch.setattr(languages, "CATALOGUES", tmp_path)
    yield PSEUDO
    for kept in (languages._entries, languages._catalogue):
        kept.cache_clear()


def untranslated(text: str) -> list[str]:
    """What stands in a text outside all brackets."""
    left = text
    while re.search(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", left):
        left = re.sub(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", "\n", left)
    for name in NAMES:
        left = left.replace(name, "")
    left = re.sub(r"'[^']*'|\w+:\w+=\S+", "", left)  # what somebody typed, and lines of players
    return re.findall(r"[^\W\d_]{3,}", left)


def texts_in(content: Any) -> Iterator[str]:
    """What people read of an answer."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        for key, value in content.items():
            if key not in FOR_PROGRAMS:
                yield from texts_in(value)
    elif isinstance(content, list):
        for part in content:
            yield from texts_in(part)


def check(what: str, content: Any) -> None:
    for text in texts_in(content):
        assert not (strange := untranslated(text)), f"{what}: {strange} in {text!r}"


@pytest.fixture
def asked(pseudo_language: str, tmp_path: Path) -> Callable[..., Callable[..., Any]]:
    """Ask a server in the pseudo-language, and check what it answers."""

    def begin(game: str, **keywords: Any) -> Callable[..., Any]:
        session: Session[Any] = Session(game_spec(game), **{"settings": {}, "seed": 1} | keywords)
        client = new_app(session, kept=KeptGames(tmp_path / "kept")).test_client()

        def ask(path: str, /, **body: Any) -> Any:
            headers = {"Accept-Language": pseudo_language}
            answer: TestResponse = (
                client.post(f"/api/{path}", json=body, headers=headers)
                if body
                else client.get(f"/api/{path}", headers=headers)
            )
            check(path, answer.json)
            return answer.json

        return ask

    return begin


def play_some(ask: Callable[..., Any], actions: int) -> dict[str, Any]:
    state: dict[str, Any] = ask("state")
    for number in range(actions):
        if state["is_over"]:
            break
        choices = [choice for choice in state["choices"] if not choice["question"]]
        chosen = choices[(7 * number) % len(choices)]["name"]
        state = ask("play", version=state["version"], action=chosen)
        for board in state["boards"]:
            check("a board", [board["label"], board["tip"]])
            check(
                "a place", [[cell["label"], cell["tip"]] for row in board["rows"] for cell in row]
            )
    return state


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("tkm", {"chapters": "growth+influence+memory", "draws": True}),
        ("tkm", {"timeline": "draft_powers"}),
        ("terminus", {}),
    ],
    ids=["chapters", "powers", "terminus"],
)
def test_a_server_says_nothing_that_is_not_in_the_catalogue(
    asked: Callable[..., Any], game: str, settings: dict[str, Any]
) -> None:
    ask = asked(game, settings=settings)
    play_some(ask, 20)
    for path in ("settings", "exercises", "help", "help?whole", "kept", "canvas"):
        ask(path)
    for reply in ask("look", ply=4), ask("look", ply=0):
        assert reply["situation"].startswith(OPEN)


def test_refusals_are_in_the_catalogue(asked: Callable[..., Any]) -> None:
    ask = asked("tkm", opponent="random")
    for path, body in (
        ("new", {"clock": "0"}),
        ("new", {"opponent": "mcts:iterations=99999999"}),
        ("new", {"position": "nonsense"}),
        ("new", {"max_turns": 0}),
        ("new", {"side": "green"}),
        ("new", {"match": "tour"}),
        ("play", {"version": -1, "action": "concede"}),
        ("edit", {"position": "..../..../..../....|W.../..../..../...B|W.../..../..../...B"}),
        ("continue", {"id": "0" * 16}),
        ("rematch", {"opponent": "nobody"}),
    ):
        assert "error" in ask(path, **body), (path, body)


def test_a_match_and_a_position_that_is_edited_are_in_the_catalogue(
    asked: Callable[..., Any],
) -> None:
    ask = asked("tkm", match="campaign")
    state = ask("state")
    check("a match", [state["match"]["title"], state["match"]["lines"]])
    for value in ("influence", "growth and memory", "standard"):
        edited = ask("edit", position=state["position"], field="chapters", value=value)
        for field in edited["fields"]:
            check("a field", [field["label"], field["words"]])
    emptied = ask("edit", position=state["position"], field="N1", value=".")
    assert ask("edit", position=emptied["position"], field="P1", value=".")["labels"]


def test_what_a_seat_of_an_invitation_is_told_is_in_the_catalogue(pseudo_language: str) -> None:
    session: Session[Any] = Session(game_spec("tkm"), {}, seed=1, match="series")
    invitation = Invitation.drawn({})
    client = new_app(session, invitation=invitation).test_client()
    headers = {"Accept-Language": pseudo_language}
    stranger = client.get("/", headers=headers)
    assert not untranslated(re.sub(r"<!?[^>]*>", "", stranger.text))
    for code in invitation.codes.values():
        arrival = client.get(f"/join/{code}", headers=headers)
        assert not untranslated(re.sub(r"<!?[^>]*>", "", arrival.text))
        for path in ("state", "rematch", "switch", "lines", "resign", "play", "settings"):
            asked = client.get if path in ("state", "settings") else client.post
            data = {} if path in ("state", "settings") else {"json": {}}
            check(path, asked(f"/api/{path}", headers=headers, **data).json)


@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_exercises_are_in_the_catalogue(asked: Callable[..., Any], game: str) -> None:
    ask = asked(game)
    for name in ask("exercises"):
        exercise = ask("exercise", set=name, number=0)["exercise"]
        check(name, [exercise["title"], exercise["text"], exercise["grade"]])


def test_what_an_agent_thinks_is_in_the_catalogue(asked: Callable[..., Any]) -> None:
    ask = asked("tkm", watch="mcts:iterations=20", opponent="mcts:iterations=20")
    state = ask("state")
    for _ in range(3):
        state = ask("agent", version=state["version"])
    assert state["thinking"]["lines"][0]["worth"].startswith(OPEN)


def test_what_is_unfinished_is_in_the_catalogue(asked: Callable[..., Any]) -> None:
    ask = asked("tkm", settings={"chapters": "growth"}, opponent="random")
    play_some(ask, 2)
    ask("exercise", set="first steps", number=0)
    games = ask("kept")["games"]
    assert [untranslated(game["label"]) for game in games] == [[]]


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_in_a_pseudo_language_nothing_that_is_seen_stays_english(
    serve: Serve, page: Page, pseudo_language: str, game: str
) -> None:
    from tests.play.page import opened, play_some

    settings = {"concede": True, "chapters": "growth"} if game == "tkm" else {}
    session = Session(game_spec(game), settings, seed=1, opponent="random")
    opened(page, f"{serve(session)}/?language={pseudo_language}")

    def look(screen: str) -> None:
        for text in page.evaluate(_VISIBLE):
            assert not (strange := untranslated(text)), f"{screen}: {strange} in {text!r}"

    page.wait_for_selector("#actions [data-action]")
    look("a game")
    for opening, shown, closing in (
        ("#new", "#fields .field", "#cancel"),
        ("#learn", "#sets button", "#lessons-close"),
        ("#help", "#rules li", "#about menu button"),
        *([("#edit", "#editor-fields .field", "#editor-cancel")] if game == "tkm" else []),
    ):
        page.click(opening)
        page.locator(shown).first.wait_for()
        look(opening)
        page.click(closing)
    play_some(page, 3)
    look("a later turn")
    if game != "tkm":
        return
    page.click("#advise")
    page.wait_for_selector("#hint strong")
    look("a hint")
    page.click("#study-open")
    page.wait_for_selector("#lines button")
    look("study")
    page.click("#study-close")
    page.click("#options summary")
    look("options")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click('#talk [data-action="concede"]')
    page.wait_for_selector("#over:not([hidden])")
    look("the end")
    page.click("#review")
    page.wait_for_selector("#graph svg")
    look("a review")


#: The visible words of a page, and those for screen readers.
_VISIBLE = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const near = node.parentElement;
    // Dates come from the browser, and the ways to play a card are told in part.
    if (near.checkVisibility() && !near.closest("kbd, code, .definitions, #daily small, .folds")) {
      found.push(node.textContent);
    }
  }
  for (const one of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
    if (!one.checkVisibility()) continue;
    found.push(one.ariaLabel ?? "");
    if (!one.closest(".level, .who")) found.push(one.placeholder ?? "", one.title ?? "");
  }
  return found;
}"""


def test_a_template_without_words_is_what_it_is_made_of(pseudo_language: str) -> None:
    pair = Message("{player} : {other}", player="white", other=Message("black"))
    assert languages.in_language(pair, pseudo_language) == (
        f"{OPEN}white{CLOSE} : {OPEN}black{CLOSE}"
    )
