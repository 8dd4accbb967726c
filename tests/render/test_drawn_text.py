"""Words in drawings, drawn again in other languages."""

from __future__ import annotations

import pickle

from tkm_env.render.shapes import DrawnText, draw_text


def test_drawn_words_are_those_that_are_drawn() -> None:
    drawn = DrawnText("past", 20, 12, "ink", 100, 50, 0.5)
    assert drawn == draw_text("past", 12, "ink", 100, 50, 0.5)
    assert drawn.template == "past"
    assert pickle.loads(pickle.dumps(drawn)).said("pasado") == drawn.said("pasado")


def test_other_words_are_drawn_without_accents_and_as_large_as_there_is_room() -> None:
    drawn = DrawnText("past", 1000, 12, "ink", 100, 50, 0.5)
    assert drawn.said("pasó") == draw_text("paso", 12, "ink", 100, 50, 0.5)
    narrow = DrawnText("past", 0, 12, "ink", 100, 50, 0.5)
    assert "scale(1.2)" in drawn.said("pasado")
    assert "scale(1.2)" not in narrow.said("pasado")


def test_where_letters_are_missing_the_english_words_remain() -> None:
    drawn = DrawnText("past", 20, 12, "ink", 100, 50, 0.5)
    assert drawn.said("過去") == drawn
