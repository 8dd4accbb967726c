"""What the server answers in the language of a reader."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")

from tkm_env.foundations.message import Message
from tkm_env.games.registry import TKM
from tkm_env.play.app import new_app
from tkm_env.play.languages import in_language, languages, page_words
from tkm_env.play.session import Session


def situation(language: str) -> str:
    client = new_app(Session(TKM, {}, seed=1)).test_client()
    state: dict[str, Any] = client.get("/api/state", headers={"Accept-Language": language}).json
    said: str = state["situation"]
    return said


@pytest.mark.parametrize("language", ["es", "es-MX", "fr, es;q=0.8, en;q=0.5"])
def test_a_server_answers_in_the_language_that_is_asked_for(language: str) -> None:
    assert situation(language) == "a blanco le toca elegir una copia"


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
