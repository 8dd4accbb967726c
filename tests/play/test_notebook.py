"""Playing in a notebook's cell: what the kernel answers, and what the page shows and sends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.games.tkm.positions import WHITE_WINS
from tkm_env import ConfigError
from tkm_env.render.html import as_data

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest.importorskip("anywidget", reason="needs the extra [notebook]")
from tkm_env.play.notebook import PlayWidget, play_widget


def asked(widget: PlayWidget, **message: Any) -> dict[str, Any]:
    """What the widget shows after a message of its page."""
    widget._follow(widget, message, [])
    state: dict[str, Any] = widget.state
    return state


def test_a_person_plays_and_the_agent_answers() -> None:
    widget = play_widget(opponent="random", seed=1)
    for action in ("choose 1", "move east", "move south"):
        state = asked(widget, play=action)
        assert state["text"] == widget.session.game.situation
    assert asked(widget, undo=True)["choices"][0]["name"] == "move east"
    asked(widget, play="move south")
    asked(widget, play="focus future")
    assert widget.session.waits_for_person
    assert widget.session.game.turn == 3


def test_an_agent_that_goes_first_has_played_when_the_widget_is_shown() -> None:
    widget = play_widget(opponent="random", side="black", seed=1)
    assert widget.session.game.turn == 2


def test_whom_the_person_waits_for_is_said() -> None:
    widget = play_widget(opponent="random", seed=1)
    for action in ("choose 1", "move east", "move south"):
        asked(widget, play=action)
    said: list[str] = []
    widget.observe(lambda change: said.append(change.new["text"]), "state")
    asked(widget, play="focus future")
    assert said[0] == "black (random) is thinking"
    assert said[-1] == widget.session.game.situation


def test_a_click_on_a_page_that_is_behind_changes_nothing_and_is_answered() -> None:
    widget = play_widget(opponent="person")
    before = widget.session.game.position
    for message in ({"play": "move east"}, {"play": "fly"}, {"play": None}, {}, {"undo": True}):
        assert asked(widget, **message)["text"] != widget.session.game.situation
    assert widget.session.game.position == before


def test_a_game_that_is_over_offers_nothing() -> None:
    state = asked(play_widget(opponent="person", position=WHITE_WINS), play="focus present")
    assert (state["text"], state["choices"], state["places"]) == ("over, white won", [], [])


def test_what_cannot_be_is_refused_by_name() -> None:
    for keyword in ("chapters", "opponent", "side", "theme", "game"):
        with pytest.raises(ConfigError, match="nonsense"):
            play_widget(**{keyword: "nonsense"})


def repr_of(page: Page, folder: Path, state: dict[str, Any]) -> None:
    """Open a page that shows this state as a cell does, and collects messages in ``sent``.

    These are what it would send to the kernel.
    """
    module = PlayWidget._esm.replace("export default { render };", "")
    model = "{get: () => state, on: () => {}, off: () => {}, send: (message) => sent.push(message)}"
    begin = f"const sent = (window.sent = []); const state = {as_data(state)};"
    script = f"{begin}\n{module}\nrender({{model: {model}, el: document.body}});"
    (folder / "cell.html").write_text(
        f"<!doctype html><style>{PlayWidget._css}</style><body><script>{script}</script>", "utf-8"
    )
    page.goto((folder / "cell.html").as_uri())


def test_the_page_shows_the_board_and_sends_what_is_clicked(page: Page, tmp_path: Path) -> None:
    repr_of(page, tmp_path, play_widget(opponent="person", seed=1, chapters="growth").state)
    page.get_by_role("button", name="choose 1").click()
    page.locator("svg > rect").last.click()
    assert page.evaluate("sent") == [{"play": "choose 1"}] * 2
    assert page.locator("p").inner_text() == "white to choose a copy"


@pytest.mark.slow
def test_what_ends_the_game_is_asked_about_before_it_is_sent(page: Page, tmp_path: Path) -> None:
    repr_of(page, tmp_path, play_widget(opponent="person").state)
    page.get_by_role("button", name="concede").focus()
    page.keyboard.press("Enter")
    assert page.locator("p").inner_text() == "Concede the game?"
    assert page.locator("button").all_inner_texts() == ["concede", "no"]
    assert page.evaluate("document.activeElement.textContent") == "concede", (
        "the keyboard would have to begin anew"
    )
    page.get_by_role("button", name="no").click()
    assert page.evaluate("sent") == []
    page.get_by_role("button", name="concede").click()
    page.get_by_role("button", name="concede").click()
    assert page.evaluate("sent") == [{"play": "concede"}]


@pytest.mark.slow
def test_buttons_say_what_they_do_and_send_names(page: Page, tmp_path: Path) -> None:
    repr_of(page, tmp_path, play_widget("terminus", opponent="person", seed=1).state)
    page.get_by_role("group", name="Play card 2 flipped").get_by_role(
        "button", name="era 1"
    ).click()
    assert page.evaluate("sent") == [{"play": "play first flipped at 1"}]
