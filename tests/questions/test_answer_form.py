"""Answers are found and read in any form that leaves no doubt, and never guessed."""

from __future__ import annotations

import pytest

from tkm_env.questions import Verdict, make_question
from tkm_env.questions.answer_form import NUMBER, Items, PositionText, UnreadableError, answer_in
from tkm_env.text import TextOptions

POSITION = (
    "*.../..../..../...B|W.../..../..../...B|W.../..../..../...B G w c PF - 4/4 - ---/--- -/- 1"
)


@pytest.mark.parametrize(
    "reply",
    [
        "yes",
        "Yes.",
        "ANSWER: yes",
        "I think so.\n\n**ANSWER:** YES",
        "**Answer: yes**",
        "Final answer: yes",
        "ANSWER: no\nWait, I was wrong.\nANSWER: yes",
        "ANSWER:\n```\nyes\n```",
        "```\nyes",
        "It is this:\n```text\nyes\n```",
        '{"answer": "Yes"}',
        'Thinking {"answer": "no"}, no: {"answer": "yes"}',
        "<think>no</think><answer>yes</answer>",
        "> ANSWER: `yes`",
        "ANSWER: \uff59\uff45\uff53",
        "<think>no</think>yes",
        "<think>ANSWER: no</think>\nANSWER: yes",
        r"ANSWER: $\boxed{yes}$",
        r"ANSWER: \boxed{\text{Yes}}",
        r"\boxed{yes}",
        "<answer>ANSWER: yes</answer>",
        "ANSWER: yes</s>",
        "ANSWER: yes<|im_end|>",
        "ANSWER\uff1ayes\u3002",
        "**My final answer:** yes",
        "\u2705 ANSWER: yes",
        "\ufeffANSWER: \u00ab yes \u00bb",
    ],
)
def test_forms_without_doubt_are_read(reply: str) -> None:
    assert Items(phrases=("yes", "no"), several=False).read(answer_in(reply), str) == "yes"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "ANSWER:",
        "I say yes.",
        "yes and no",
        "ANSWER: yes, no",
        "ANSWER: maybe",
        "<think>ANSWER: yes",
        "<think>ANSWER: yes</think>",
        '{"answer": "yes"',
        '{"answer": {"is": "yes"}}',
        '{"answer": true}',
        "ANSWER: " + "[" * 50_000,
    ],
)
def test_anything_else_is_unreadable(reply: str) -> None:
    form = Items(phrases=("yes", "no"), several=False)
    with pytest.raises(UnreadableError):
        form.read(answer_in(reply), str)


@pytest.mark.parametrize(
    "given",
    [
        "move east; travel forward",
        "Travel forward, move east.",
        "- move  east\n- `travel forward`",
        "1. travel forward\n2. move east",
        "['move east', 'travel forward']",
        "move east; travel forward; move east",
        "move east; and travel forward",
        "move east\u3001travel forward\u3002",
        "travel forward\u060c move east</s>",
    ],
)
def test_sets_are_read_in_any_order(given: str) -> None:
    form = Items(phrases=("move east", "travel forward", "choose 1"))
    assert form.read(answer_in(f"ANSWER:\n{given}"), str) == "move east; travel forward"


def test_items_that_repeat_count_where_they_must() -> None:
    form = Items(slots=(NUMBER, ("white", "black"), ("past",)), repeats=True)
    assert form.read("2 black past, 1 White past; 2 black past", str) == (
        "1 white past; 2 black past; 2 black past"
    )
    assert form.read("2 black past", str) != form.read("2 black past; 2 black past", str)


def test_positions_keep_their_capitals_and_their_marks() -> None:
    form = PositionText(fields=len(POSITION.split()))
    for reply in (
        f"ANSWER: {POSITION}",
        f"```\n{POSITION}\n```",
        f"**ANSWER:** `{POSITION}`",
        f"**ANSWER: {POSITION}**",
        f"ANSWER: {POSITION}.",
        rf"ANSWER: $\boxed{{\text{{{POSITION}}}}}$",
        f"<answer>{POSITION}</answer>",
        f"ANSWER: {POSITION}<|eot_id|>",
    ):
        assert form.read(answer_in(reply), str) == POSITION
    assert form.read(answer_in(POSITION.lower()), str) != POSITION
    with pytest.raises(UnreadableError, match="2 fields; a position has 11"):
        form.read("no idea", str)


def test_a_wrong_answer_is_told_from_an_unreadable_one() -> None:
    question = make_question("legal", difficulty=1, seed=0)
    right = question.answer
    assert question.mark(right.upper()) is Verdict.RIGHT
    assert question.mark("; ".join(reversed(right.split("; ")))) is Verdict.RIGHT
    assert question.mark(right.partition("; ")[0]) is Verdict.WRONG
    assert question.mark(f"{right}; fly away") is Verdict.WRONG
    assert question.mark("I do not know.") is Verdict.UNREADABLE


def test_any_winning_turn_is_right_and_no_other() -> None:
    question = make_question("winning-turn", difficulty=1, seed=0)
    game = question.game
    verdicts = set()
    for way in game.turns():
        turn = "; ".join(game.action_names[action] for action in way.actions)
        verdict = question.mark(f"ANSWER: {turn}")
        assert (verdict is Verdict.RIGHT) == (way.after.winner == game.to_act)
        verdicts.add(verdict)
    assert verdicts == {Verdict.RIGHT, Verdict.WRONG}
    assert question.mark("ANSWER: choose 1") is Verdict.WRONG
    assert question.mark("ANSWER:") is Verdict.UNREADABLE


def test_renamed_questions_are_answered_in_invented_words() -> None:
    question = make_question("deaths", difficulty=3, seed=2)
    renamed = question.reworded(TextOptions(rename=5))
    assert renamed.id == f"{question.id}/rename=5"
    assert "copy" not in renamed.prompt.user
    assert renamed.answer != question.answer
    assert renamed.mark(f"ANSWER: {renamed.answer}") is Verdict.RIGHT
    assert renamed.mark(f"ANSWER: {question.answer}") is not Verdict.RIGHT
