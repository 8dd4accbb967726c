"""Conversations are replayed exactly as a server received them, from answers alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tkm_env import Game
from tkm_env.render.replay import replay_page
from tkm_env.text import TextOptions, digest
from tkm_env.text.conversation import replay_with_conversations

if TYPE_CHECKING:
    from playwright.sync_api import Page


def record_of(*answers: dict[str, Any], prompt: str = "", **changes: Any) -> dict[str, Any]:
    """A game of two turns that white, a language model, was asked for, with these answers."""
    game = Game()
    for turn in (0, 1):
        for action in game.turns()[turn].actions:
            game.play(action)
    asked = vars(TextOptions()) | changes
    said = {"asked": asked, "prompt": prompt or digest(Game, TextOptions()), "answers": [*answers]}
    return game.to_record(players={"white": "llm:m", "black": "random"}, models={"white": said})


def answer(ply: int, text: str, refused: str | None = None) -> dict[str, Any]:
    return {
        "ply": ply,
        "text": text,
        "end": "stop",
        "tokens": [9, 3],
        "model": "m",
        "refused": refused,
    }


TALK = (answer(1, "TURN: <b>no</b>", "illegal"), answer(1, "TURN: 1"))


def test_the_conversation_of_a_turn_stands_at_the_position_in_which_it_began() -> None:
    notes = replay_with_conversations(record_of(*TALK)).notes
    assert [*notes] == [0]
    assert [note.heading for note in notes[0]] == [
        "what white is always told",
        "what white was asked",
        "white answered (3 tokens, stop)",
        "refused: illegal",
        "white answered (3 tokens, stop)",
    ]
    assert [note.is_open for note in notes[0]] == [False, False, True, True, True]
    assert notes[0][3].text == "Action 1, 'no', is not the name of an action."


@pytest.mark.parametrize("changes", [{"prompt": "0" * 16}, {"legal": "some"}, {"rename": [1]}])
def test_of_another_version_of_the_prompts_only_the_answers_are_known(
    changes: dict[str, Any],
) -> None:
    notes = replay_with_conversations(record_of(*TALK, **changes)).notes
    assert [note.text for note in notes[0]] == ["TURN: <b>no</b>", "", "TURN: 1"]


def test_answers_at_no_position_of_the_game_are_left_out() -> None:
    assert not replay_with_conversations(
        record_of(answer(0, "a"), answer(-3, "b"), answer(99, "c"))
    ).notes


def test_a_game_without_language_models_has_no_notes() -> None:
    record = record_of()
    del record["models"]
    replay = replay_with_conversations(record)
    assert not replay.notes
    assert '"notes":' not in replay_page(replay)


@pytest.mark.slow
def test_the_page_shows_it_during_the_turn_that_was_asked_for(page: Page, tmp_path: Path) -> None:
    record = record_of(*TALK)
    (tmp_path / "game.html").write_text(replay_page(replay_with_conversations(record)), "utf-8")
    page.goto((tmp_path / "game.html").as_uri())
    assert "TURN: <b>no</b>" in page.locator("#notes").inner_text()
    assert "You play" not in page.locator("#notes").inner_text()
    page.click("#notes summary >> nth=0")
    assert "You play" in page.locator("#notes").inner_text()
    assert page.locator("#notes b").count() == 0
    page.click("[data-go=turn-on]")
    assert "TURN: 1" in page.locator("#notes").inner_text()
    page.click("[data-go=on]")
    assert page.locator("#notes").inner_text() == ""
    assert page.locator("#notes").is_visible(), "the board stays where it is"
    board = page.locator("#drawing").bounding_box()
    assert board is not None
    assert board["height"] > 200
