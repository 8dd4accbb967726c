"""The page in the language of its reader: which one, and what it says there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")

from tkm_env.foundations.message import Message
from tkm_env.games.registry import TKM
from tkm_env.play.app import new_app
from tkm_env.play.languages import in_language, languages, page_words
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

    from tests.play.page import Serve


def situation(language: str) -> str:
    client = new_app(Session(TKM, {}, seed=1)).test_client()
    state: dict[str, Any] = client.get("/api/state", headers={"Accept-Language": language}).json
    said: str = state["situation"]
    return said


@pytest.mark.parametrize("language", ["es", "es-MX", "fr, es;q=0.8, en;q=0.5"])
def test_a_server_answers_in_the_language_that_is_asked_for(language: str) -> None:
    assert situation(language) == "blanco: elegir una copia"


@pytest.mark.parametrize("language", ["", "en-GB", "fr", "en, es;q=0.5"])
def test_a_server_answers_in_english_where_it_has_nothing_better(language: str) -> None:
    assert situation(language) == "white to choose a copy"


def test_names_for_programs_are_the_same_in_every_language() -> None:
    client = new_app(Session(TKM, {}, seed=1)).test_client()
    in_english, in_spanish = (
        client.get("/api/state", headers={"Accept-Language": language}).json
        for language in ("en", "es")
    )
    for key in ("players", "to_act", "position", "parts"):
        assert in_english[key] == in_spanish[key]
    assert [choice["name"] for choice in in_spanish["choices"]] == ["choose 1"]
    assert [choice["label"] for choice in in_spanish["choices"]] == ["elegir 1"]


def test_a_number_chooses_the_form_of_its_language() -> None:
    said = [
        in_language(Message("{count} turn", "{count} turns", count=count), "es")
        for count in (0, 1, 2)
    ]
    assert said == ["0 turnos", "1 turno", "2 turnos"]


def test_what_happened_is_said_in_spanish() -> None:
    client = new_app(Session(TKM, {}, seed=1)).test_client()
    state: Any = client.get("/api/state").json
    for action in ("choose 1", "move east"):
        body = {"version": state["version"], "action": action}
        state = client.post("/api/play", json=body, headers={"Accept-Language": "es"}).json
    assert [entry["text"] for entry in state["log"]] == [
        "actúa la copia de pasado 1",
        "la copia de blanco va de pasado 1 a 2",
    ]


def test_the_eras_of_the_drawing_are_named_in_the_language() -> None:
    client = new_app(Session(TKM, {}, seed=1)).test_client()
    in_english, in_spanish = (
        client.get("/api/canvas", headers={"Accept-Language": language}).json["background"]
        for language in ("en", "es")
    )
    assert in_english != in_spanish
    assert in_english.count("<path") == in_spanish.count("<path")


def test_english_needs_no_catalogue_and_others_offer_their_words() -> None:
    client = new_app(Session(TKM, {}, seed=1)).test_client()
    assert client.get("/page/words/languages.json").json == [*languages()]
    assert page_words("en") == {}
    words: Any = client.get("/page/words/es.json").json
    assert words["New game"] == "Partida nueva"
    assert words["{count} game"] == ["{count} partida", "{count} partidas"]
    assert client.get("/page/words/xx.json").status_code == 400


# In a real browser.


def opened(context: BrowserContext, url: str) -> Page:
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("#actions [data-action]")
    return page


@pytest.fixture
def spanish(chromium: Browser) -> Iterator[BrowserContext]:
    """Windows of a browser that asks for Mexican Spanish."""
    from tests.play.page import windows

    with windows(chromium, locale="es-MX") as context:
        yield context


def url_of(serve: Serve) -> str:
    return serve(Session(TKM, {}, opponent="random", seed=1))


@pytest.mark.slow
def test_the_browsers_language_is_the_pages(serve: Serve, spanish: BrowserContext) -> None:
    page = opened(spanish, url_of(serve))
    assert page.get_attribute("html", "lang") == "es"
    assert page.inner_text("#new .long") == "Partida nueva"
    assert page.inner_text("#situation").lower().startswith("blanco: ")
    assert page.locator("#language option:checked").get_attribute("value") == "es"


@pytest.mark.slow
def test_another_language_is_chosen_in_the_menu_and_kept_and_the_game_goes_on(
    serve: Serve, spanish: BrowserContext
) -> None:
    from tests.play.page import play_some

    page = opened(spanish, url_of(serve))
    before = play_some(page, 3)
    entries = page.locator("#log li:not(.turn)").count()
    page.click("#options summary")
    with page.expect_navigation():
        page.select_option("#language", "en")
    page.wait_for_selector("#actions [data-action]")
    assert page.get_attribute("html", "lang") == "en"
    assert page.inner_text("#new .long") == "New game"
    assert page.locator("#position").text_content() == before
    assert page.locator("#log li:not(.turn)").count() == entries
    page.reload()
    page.wait_for_selector("#actions [data-action]")
    assert page.get_attribute("html", "lang") == "en"
    assert [option.get_attribute("lang") for option in page.locator("#language option").all()] == [
        *languages()
    ]


@pytest.mark.slow
def test_a_link_chooses_the_language_besides_what_it_asks_for(
    serve: Serve, chromium: Browser
) -> None:
    from tests.play.page import windows

    with windows(chromium, locale="en-GB") as context:
        page = context.new_page()
        page.goto(f"{url_of(serve)}?language=es&set=first+steps&number=0")
        page.wait_for_selector("#now:has-text('Mover y empujar')")
        assert page.get_attribute("html", "lang") == "es"
        assert "language" not in page.evaluate("location.search")
        page.goto(page.url.partition("?")[0])
        page.wait_for_selector("#now:has-text('Mover y empujar')")
        assert page.get_attribute("html", "lang") == "es"
        page.goto(f"{page.url.partition('?')[0]}?language=xx")
        page.wait_for_selector("#main:not([hidden])")
        assert page.get_attribute("html", "lang") == "es"
