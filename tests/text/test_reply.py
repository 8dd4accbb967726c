"""Replies yield a turn to the same position, or a reason; never an exception, never a guess."""

from __future__ import annotations

import itertools
import json
import re
import time
import unicodedata
from typing import Any

import numpy as np
import pytest

from tests.cases import CHAPTER_SETS
from tests.text.test_prompt import CHAPTERS, played
from tkm_env import Game, TerminusGame
from tkm_env.core.game import BaseGame
from tkm_env.core.record_schema import FAULTS
from tkm_env.text import Refusal, TextOptions, legal_turns, read_reply, write_reply
from tkm_env.text.flaws import FLAWS
from tkm_env.text.options import DEFAULT_OPTIONS
from tkm_env.text.prompt import actions_in_words, image_of, listed_turns
from tkm_env.text.reply import reply_of
from tkm_env.text.wrapping import split_thoughts, unwrapped

LINE = "TURN: choose 1; move east; move south; focus present"
TURN = ("choose 1", "move east", "move south", "focus present")
JSON = json.dumps({"turn": TURN})


def names(
    game: BaseGame, reply: str, options: TextOptions = DEFAULT_OPTIONS
) -> tuple[str, ...] | str:
    """The names of the actions in a reply, or the sentence that refuses it."""
    read = read_reply(game, reply, options)
    return (
        read.sentence
        if isinstance(read, Refusal)
        else tuple(game.action_names[action] for action in read)
    )


#: Ways to answer with `TURN`, by what is unusual about them.
FORMS: dict[str, str] = {
    "object": JSON,
    "line": LINE,
    "the last object": (
        f'I could play {{"turn": ["choose 1"]}}, but no:\n```json\n{JSON}\n```\nThat is my turn.'
    ),
    "line after object": f"{JSON}\n{LINE}",
    "object after line": f"TURN: choose 16\n{JSON}",
    "bold": f"**{LINE}**",
    "bold mark": LINE.replace("TURN:", "**TURN**:"),
    "bold mark and colon": LINE.replace("TURN:", "**Turn:**"),
    "quoted in code": f"  > `{LINE}`\r\n",
    "capitals": LINE.upper(),
    "small mark": LINE.replace("TURN", "Turn"),
    "space before the colon": LINE.replace("TURN", "TURN "),
    "wide colon": LINE.replace(":", "\uff1a"),
    "spaces": "TURN: choose  1 ;move east;  move south; focus present",
    "text in an object": (
        '{"turn": "choose 1; move east; move south; focus present", "why": {"turn": ["choose 2"]}}'
    ),
    "braces before": f"{{not json}} {JSON}",
    "begun twice": f'{{"turn": ["choo\nI begin again: {JSON}',
    "semicolon at the end": f"{LINE};",
    "period at the end": f"{LINE}.",
    "no-break spaces": LINE.replace(" ", "\u00a0"),
    "wide semicolons": LINE.replace(";", "\uff1b"),
    "commas": LINE.replace(";", ","),
    "arrows": LINE.replace(";", " \u2192"),
    "quotes around": "TURN: 'choose 1; move east; move south; focus present'",
    "numbered actions": "TURN: 1. choose 1; 2. move east; 3. move south; 4. focus present",
    "below the mark": "TURN:\nchoose 1; move east; move south; focus present\n\nGood luck!",
    "a list below the mark": "TURN:\n1. choose 1\n2. move east\n3. move south\n4. focus present",
    "Python's quotes": str({"turn": [*TURN]}),
    "curved quotes": JSON.replace('"', "\u201d"),
    "no quotes around the key": JSON.replace('"turn"', "turn"),
    "key in capitals": JSON.replace("turn", "Turn"),
    "comma behind the last action": JSON.replace("]", ",]"),
    "comma behind the last key": JSON.replace("}", ",}"),
    "list": json.dumps(TURN),
    "names alone": "choose 1, move east, move south, focus present",
    "names alone in a block": "```\nchoose 1; move east; move south; focus present\n```",
    "call": f"play({JSON})",
    "call with names": "play(turn=['choose 1', 'move east', 'move south', 'focus present'])",
    "call with text": 'print(api.play("choose 1; move east; move south; focus present"))',
    "tool call": json.dumps({"name": "play", "arguments": {"turn": TURN}}),
    "tool call in a tag": f'<tool_call>\n{{"name": "play", "arguments": {JSON}}}\n</tool_call>',
    "tool call as text": json.dumps({"function": {"name": "play", "arguments": JSON}}),
    "tool calls": json.dumps({"tool_calls": [{"function": {"arguments": JSON}}]}),
    "note in parentheses": f"{LINE} (so that black, on space 16, is pushed)",
    "note behind a dash": f"{LINE} \u2013 a safe turn, I think",
    "comment": f"{LINE}  # safe",
    "headline after it": f"{LINE}\nturn: 7 of 200; you: white",
    "bold mark with its colon": LINE.replace("TURN:", "**TURN:**"),
    "heading": f"### {LINE}",
    "block of code": f"My plan:\n\n```\n{LINE}\n```\n\nThis keeps everything safe.",
    "object on several lines": f"```json\n{json.dumps({'turn': TURN}, indent=2)}\n```",
    "block with tildes": f"~~~json\n{JSON}\n~~~\nI chose it because {{reason}}.",
    "box": r"TURN: \boxed{<number>}",
    "box in dollars": r"TURN: $\boxed{<number>}$",
    "box around the mark": r"\boxed{TURN: <number>}",
    "box with text": rf"\[ \boxed{{\text{{{LINE}}}}} \]",
    "box alone": r"$$\boxed{<number>}$$",
    "thoughts before": '<think>TURN: 2, or {"turn": 3}?</think>\nTURN: <number>',
    "thoughts before a number": "<thinking>\nTURN: 2\n</thinking>\n\n<number>",
    "thoughts without their beginning": f"TURN: 2\nno\n</think>\n\n{LINE}",
    "thoughts in brackets": f"[THINK]TURN: 2[/THINK]{LINE}",
    "thoughts in a channel": (
        "<|channel|>analysis<|message|>TURN: 2<|end|><|start|>assistant<|channel|>final<|message|>"
        f"{LINE}"
    ),
    "thoughts behind": f"{LINE}\n<think>\nTURN: 2\n</think>",
    "tag": f"<answer>{LINE}</answer>",
    "tag around a number": "<think>safe</think><answer><number></answer>",
    "tag on lines of its own": f"<answer>\n{LINE.removeprefix('TURN: ')}\n</answer>",
    "end of a sequence": f"{LINE}</s>",
    "end of a message": f"{LINE}<|im_end|>",
    "end of a turn": "TURN: <number><end_of_turn>",
    "HTML": f"<b>TURN:</b>{LINE.removeprefix('TURN:')}",
    "bullets below the mark": "TURN:\n- choose 1\n- move east\n- move south\n- focus present\n\nOk",
    "stars below the mark": "**TURN:**\n\n* choose 1\n* move east\n* move south\n* focus present",
    "bold actions below the mark": (
        "TURN:\n1. **choose 1**\n2. **move east**\n3. **move south**\n4. **focus present**"
    ),
    "YAML": "turn:\n  - choose 1\n  - move east\n  - move south\n  - focus present",
    "a block below the mark": LINE.replace("TURN: ", "TURN:\n```text\n") + "\n```",
    "a list in a block below the mark": f"TURN:\n```json\n{json.dumps(TURN)}\n```",
    "a list behind the mark": f"TURN: {[*TURN]}",
    "quotes around each action": f"TURN: {'; '.join(map(repr, TURN))}",
    "code around each action": "TURN: `choose 1`; `move east`; `move south`; `focus present`",
    "bars": LINE.replace(";", " |"),
    "slashes": LINE.replace(";", " /"),
    "double arrows": LINE.replace(";", " =>"),
    "then": LINE.replace(";", ", then"),
    "and": LINE.replace("; focus", ", and finally focus").replace(";", ","),
    "Japanese": LINE.replace("; ", "\u3001").replace(": ", "\uff1a") + "\u3002",
    "Chinese": LINE.replace("; ", "\uff1b").replace(": ", "\uff1a") + "\u3002",
    "Arabic": LINE.replace(";", "\u060c"),
    "Arabic semicolons": LINE.replace(";", "\u061b"),
    "French quotes": "TURN: \u00ab\u00a0choose 1; move east; move south; focus present\u00a0\u00bb",
    "German quotes": "TURN: \u201e<number>\u201c",
    "Japanese quotes": "TURN: \u300c<number>\u300d",
    "final answer": f"**Final answer:** {LINE}",
    "answer": f"My answer: {LINE}",
    "picture before it": "\U0001f449 TURN: <number>",
    "picture behind it": "TURN: <number> \u2705",
    "bullet before the mark": "\u2022 TURN: <number>",
    "sentence behind it": f"{LINE}. This keeps both copies safe.",
    "sentence behind a number": "TURN: <number>. This keeps both copies safe.",
    "invisible characters": "\ufeffTURN:\u200b <number>",
    "steps of an agent": 'Thought: safe.\nAction: play\nAction Input: {"turn": <number>}',
    "tool calls behind a token": f'[TOOL_CALLS][{{"name": "play", "arguments": {JSON}}}]',
    "call behind a token": "<|python_tag|>play(turn=<number>)",
    "number, dash and actions": LINE.replace("TURN: ", "TURN: #<number> - "),
    "bold number before the actions": LINE.replace("TURN: ", "TURN: **<number>.** "),
    "a sentence": "The answer is <number>.",
    "a sentence with marks": "My final answer is: **turn <number>**",
    "a sentence with a box": r"The final answer is $\boxed{<number>}$.",
    "a label": "Answer: <number>",
    "a listed line with its number": LINE.replace("TURN: ", "TURN: <number>. "),
    "a number with a period": "TURN: <number>.",
    "a number with its sign": "TURN: #<number>",
    "a number in a list": '{"turn": [<number>]}',
    "a number as a float": '{"turn": <number>.0}',
    "a comma behind a number": '{"turn": <number>,}',
    "a number behind a small mark": "Turn: <number>",
    "a number behind a key in single quotes": "{'turn': <number>}",
    "a call with a number": "play(<number>)",
    "a note behind a number": "TURN: <number> (both copies are safe there)",
    "a list in a string": json.dumps({"turn": json.dumps(TURN)}),
    "a number alone": "<number>",
    "a number alone with its sign": "#<number>",
    "a number alone with a period": "<number>.",
    "a number alone in brackets": "[<number>]",
    "a number alone in bold": "**<number>**",
    "wide digits": "TURN: <wide number>",
    "wide digits alone": "<wide number>",
    "a tool call with a number": '{"name": "play", "arguments": {"turn": <number>}}',
    "a tool call with a number in a tag": (
        '<tool_call>\n{"name": "play", "arguments": {"turn": <number>}}\n</tool_call>'
    ),
    "a call with a number behind its name": "play(turn=<number>)",
}
_WIDE = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}


def in_form(form: str, number: int) -> str:
    """A form with the number of a turn."""
    wide = str(number).translate(_WIDE)
    return form.replace("<number>", str(number)).replace("<wide number>", wide)


@pytest.mark.parametrize("form", FORMS)
def test_a_turn_is_read_in_any_form_that_leaves_no_doubt(form: str) -> None:
    number = legal_turns(Game()).index("; ".join(TURN)) + 1
    answer = in_form(FORMS[form], number)
    assert names(Game(), answer) == TURN
    given = read_reply(Game(), reply_of(answer, "play"), tool="play")
    assert given == listed_turns(Game())[number - 1].actions, "also as the argument of a tool"


@pytest.mark.parametrize("legal", ["listed", "none"])
@pytest.mark.parametrize(
    "given",
    [
        *("my turn is east", "turn", "I think.\nEast is best.", "", "<think>\nturn 5", "{}", "[]"),
        *('{"turn": null}', '{"turn": ', "<think>My turn?</think>", "5 or 6", None, {}, 1.5),
    ],
)
def test_a_tool_is_told_of_its_argument_and_not_of_a_reply(given: object, legal: str) -> None:
    refusal = read_reply(Game(), reply_of(given, "play"), TextOptions(legal=legal), tool="play")
    assert isinstance(refusal, Refusal)
    assert not re.search("TURN:|reply|thoughts", refusal.message), refusal.message


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_belongs_to_a_kind_of_fault(flaw: str) -> None:
    assert FLAWS[flaw].kind in FAULTS
    assert Refusal(flaw, "", "").kind == FLAWS[flaw].kind


@pytest.mark.parametrize(
    ("reply", "flaw", "sentence"),
    [
        ("", "empty", "The reply is empty."),
        (" \n", "empty", "The reply is empty."),
        ("I choose 1, move east, move south, focus present", "form", "neither a JSON object"),
        (
            "My turn: choose 1; move east; move south; focus present",
            "form",
            "neither a JSON object",
        ),
        ("5 or 6", "form", "neither a JSON object"),
        ("first action; second action", "form", "neither a JSON object"),
        ("TURN: first action; second action", "unknown name", "Action 1, 'first action', is not"),
        ('{"turn": ["action", "action"]}', "unknown name", "Action 1, 'action', is not the name"),
        ("turn: 7 of 200; you: white", "form", "neither a JSON object"),
        (f"{JSON} and then {{}}", "form", 'has no "turn"'),
        ('{"turn": 1, "Turn": 2}', "form", 'more than one "turn"'),
        ('{"turn": 1, "turn": 2}', "form", 'more than one "turn"'),
        ('{"tool_calls": [{"args": {"turn": 1}}, {"args": {"turn": 2}}]}', "form", "more than one"),
        ('{"name": "resign", "arguments": {}}', "form", 'has no "turn"'),
        (f'{LINE}\n{{"turn": ["choose 1", "mo', "form", "incomplete"),
        ('{"turn": []}', "form", "no actions"),
        ("TURN:", "form", "no actions"),
        ('{"turn": true}', "form", "must be a list"),
        ('{"turn": 1.5}', "form", "must be a list"),
        ('{"turn": Infinity}', "form", "must be a list"),
        ('{"turn": null}', "form", "must be a list"),
        ('{"turn": [1, 2]}', "form", "must be a list"),
        ("[1, 2]", "form", "must be a list"),
        ('{"turn": 0}', "unknown name", "numbered from 1 to"),
        ("TURN: 999999999", "unknown name", "numbered from 1 to"),
        ("TURN: " + "9" * 5000, "unknown name", "answer with one number alone"),
        ("TURN: 5 or 6", "unknown name", "answer with one number alone, or with all actions"),
        ("TURN: 5 (or 6)", "form", "answer with one number alone"),
        ("TURN: 5 (or five)", "form", "leaves a doubt: answer with one number alone"),
        ("TURN: 5. No, I prefer 6.", "form", "leaves a doubt: answer with one number alone"),
        ("TURN: 5, because it is safe", "unknown name", "answer with one number alone, or with"),
        ("TURN: 5 because it is safe", "unknown name", "answer with one number alone, or with"),
        ("TURN: option 5", "unknown name", "answer with one number alone, or with all actions"),
        ("TURN: 5/12", "unknown name", "answer with one number alone, or with all actions"),
        ("TURN: 5\u20137", "unknown name", "answer with one number alone, or with all actions"),
        (r"TURN: \boxed{5} or \boxed{6}", "unknown name", "answer with one number alone"),
        (f"{LINE} (or focus future)", "form", "names other actions: answer with one turn"),
        (f"{LINE}. No: focus future.", "form", "names other actions: answer with one turn"),
        (f"{LINE}. Or choose 1; move east", "unknown name", "did you mean 'focus present'?"),
        ("TURN: <your turn>", "unknown name", "Action 1, '<your turn>', is not the name of"),
        ("TURN: [number]", "unknown name", "Action 1, '[number]', is not the name of"),
        ('{"turn": ["choose 1", ...]}', "form", "must be a list of names"),
        ("I think that the answer is 5.", "form", "neither a JSON object"),
        ("The answer is 5. Or is it 6?", "form", "neither a JSON object"),
        ("The answer is 5 or 6.", "form", "neither a JSON object"),
        ("Is 5 safe?\nThe answer is 6.", "form", "neither a JSON object"),
        ("The answer is east.", "form", "neither a JSON object"),
        ("Answer 5", "form", "neither a JSON object"),
        ("TURN 5", "form", "neither a JSON object"),
        (f"Turn 1: {LINE.removeprefix('TURN: ')}", "form", "neither a JSON object"),
        ("<function=play>\n<parameter=turn>\n5\n</parameter>\n</function>", "form", "neither"),
        ('{"turn": 5}\n{"confidence": 0.9}', "form", 'has no "turn"'),
        ("<think>TURN: 5</think>\nI am not sure.", "form", "has no turn behind its thoughts"),
        ("<think>TURN: 5\nBut then", "form", "ends inside its thoughts: close them"),
        ('<think>{"turn": 5}', "form", "ends inside its thoughts: close them"),
        ("I think.\n<thinking>\n5\n", "form", "ends inside its thoughts: close them"),
        ("<think></think>", "empty", "The reply is empty."),
        ('{"turn": ["go"]}', "unknown name", "Action 1, 'go', is not the name of an action."),
        ("TURN: choose 1; go east", "unknown name", "Action 2, 'go east', is not the name of"),
        (
            "TURN: choose 1; move east",
            "unfinished",
            "The turn is not finished after 'choose 1', 'move east'; legal there: 'move east'",
        ),
        (
            "TURN: choose 1; move north; focus present",
            "rule broken",
            "Action 2, 'move north', may not be played after 'choose 1': a wall is in the way; leg",
        ),
        (
            f"{LINE}; choose 16",
            "rule broken",
            "Action 5, 'choose 16', is too much: the turn ends after 'choose 1'",
        ),
        (
            "TURN: focus present",
            "rule broken",
            "Action 1, 'focus present', may not be played: white is to choose a copy; "
            "legal there: 'choose 1'.",
        ),
    ],
)
def test_what_is_no_turn_is_refused_in_a_sentence(reply: str, flaw: str, sentence: str) -> None:
    refusal = read_reply(Game(), reply)
    assert isinstance(refusal, Refusal)
    assert refusal.flaw == flaw
    assert sentence in refusal.sentence
    assert refusal.sentence in refusal.message


@pytest.mark.parametrize(
    ("reply", "end", "flaw"),
    [
        ("", "length", "cut off"),
        ("I wonder", "length", "cut off"),
        ('{"turn": ["cho', "length", "cut off"),
        ("TURN: 1", "length", "cut off"),  # of 12, maybe
        ("1", "length", "cut off"),
        ("TURN: 1\n", "length", None),
        ('{"turn": 1}', "length", None),
        ("", "refusal", "refused"),
        ("I must not.", "content_filter", "refused"),
        ("TURN: 1", "refusal", None),
        ("TURN: 1", "stop", None),
    ],
)
def test_an_answer_that_was_cut_off_or_refused_is_told_apart(
    reply: str, end: str, flaw: str | None
) -> None:
    read = read_reply(Game(), reply, end=end)
    assert (read.flaw if isinstance(read, Refusal) else None) == flaw


@pytest.mark.parametrize(
    ("position", "answer", "why"),
    [
        ("W.../..../..../...B", "choose 2", "white has no copy on space 2 of the past"),
        ("W.../..../..../...B", "choose 16", "white has no copy on space 16 of the past"),
        ("W.../..../..../...B", "choose 1; move west", "a wall is in the way"),
        ("W.../..../..../...B", "choose 1; travel backward", "the past is the first era"),
        ("W.../..../..../...B", "choose 1; focus past", "white is to act, 2 actions left"),
        (
            "W.../..../..../...B",
            "choose 1; move east; move west; focus past",
            "the focus is on the past already",
        ),
        (
            "W.../..../..../...B",
            "choose 1; move east; move west; travel forward",
            "space 1 of the present is not empty",
        ),
    ],
)
def test_without_a_list_a_refusal_says_why(position: str, answer: str, why: str) -> None:
    boards = "|".join([position] * 3)
    game = Game(position=f"{boards} - w c PF - 4/4 - ---/--- -/- 1")
    options = TextOptions(legal="none")
    sentence = names(game, f"TURN: {answer}", options)
    assert isinstance(sentence, str)
    if "is not empty" in why:
        assert "comes" in sentence or "may not be played" in sentence
    else:
        assert sentence.endswith(f": {why}.")
    assert "legal there" not in sentence


def test_numbers_are_answers_only_where_turns_are_listed() -> None:
    game = Game()
    turn = listed_turns(game)[4].actions
    for reply in ('{"turn": 5}', "TURN: 5", '{"turn": "5"}', "5", "play(5)"):
        assert read_reply(game, reply) == turn
        for legal in ("counted", "none"):
            assert isinstance(read_reply(game, reply, TextOptions(legal=legal)), Refusal)


@pytest.mark.parametrize(
    "answer",
    [
        "5.",
        "#5",
        "5)",
        "5:",
        "\uff15",
        "5;",
        "05",
        "5.0",
        '"5"',
        "5 (a safe one)",
        "5 - a safe one",
        "5. ({line})",
        "**5**",
    ],
)
def test_a_number_may_stand_as_in_a_list(answer: str) -> None:
    game = Game()
    answer = answer.replace("{line}", legal_turns(game)[4])
    assert read_reply(game, f"TURN: {answer}") == listed_turns(game)[4].actions


@pytest.mark.parametrize(
    "answer", ["[5]", "5.0", "[5.0]", '"5"', '["5"]', '"#5"', "5,", "[5,]", '["5. {line}"]']
)
def test_a_number_in_an_object_may_stand_in_a_list_or_as_text(answer: str) -> None:
    game = Game()
    reply = '{"turn": ' + answer.replace("{line}", legal_turns(game)[4]) + "}"
    assert read_reply(game, reply) == listed_turns(game)[4].actions


def test_a_listed_turn_may_be_copied_with_its_number_and_a_wrong_number_is_refused() -> None:
    game = Game()
    for number, line in enumerate(legal_turns(game), 1):
        turn = listed_turns(game)[number - 1].actions
        for copied in (f"{number}. {line}", f"#{number}: {line}", f"{number}) {line};"):
            assert read_reply(game, f"TURN: {copied}") == turn, copied
        wrong = number % len(game.turns()) + 1
        assert names(game, f"TURN: {wrong}. {line}") == (
            f"The actions behind the number {wrong} are not those of turn {wrong}: "
            "give the number or the actions."
        )


def test_forms_that_leave_a_doubt_are_refused() -> None:
    game = Game()
    for answer in ("5 or 6", "5, 6", "5-6", "-5", "5 6", "turn 5", "(5)", "{'turn': 5, 'turn': 6}"):
        for reply in (f"TURN: {answer}", f'{{"turn": "{answer}"}}'):
            assert isinstance(read_reply(game, reply), Refusal), reply
    assert isinstance(read_reply(game, "{'turn': 5, 'turn': 6}"), Refusal)


def test_a_refusal_tells_legal_actions_only_where_turns_are_listed() -> None:
    assert (
        names(Game(), "TURN: focus past", TextOptions(legal="counted"))
        == "Action 1, 'focus past', may not be played: white is to choose a copy."
    )


@pytest.mark.parametrize("seed", range(8))
def test_with_other_numbers_a_refusal_names_spaces_as_the_prompt_does(seed: int) -> None:
    options = TextOptions(numbers=seed, legal="none")
    told = actions_in_words(Game, options)
    (corner, beside) = (name.removeprefix("choose ") for name in told[:2])
    assert names(Game(), f"TURN: choose {beside}", options) == (
        f"Action 1, 'choose {beside}', may not be played: "
        f"white has no copy on space {beside} of the past."
    )
    assert names(Game(), f"TURN: choose {corner}; travel forward", options) == (
        f"Action 2, 'travel forward', may not be played after 'choose {corner}': "
        f"space {corner} of the present is not empty."
    )
    assert names(Game(), f"TURN: choose {corner}; move east", TextOptions(numbers=seed)) == (
        f"The turn is not finished after 'choose {corner}', 'move east'; legal there: "
        "'move east', 'move south', 'move west', 'travel forward'."
    )


def test_renamed_a_refusal_is_in_the_words_of_the_prompt_and_quotes_the_reply_as_it_is() -> None:
    options = TextOptions(rename=3)
    assert names(Game(), LINE, options) == "Action 1, 'choose 1', is not the name of an action."
    (listed, *_) = legal_turns(Game(), options)
    refusal = names(Game(), f"TURN: {listed}; {listed}", options)
    assert "choose" not in refusal
    assert "is too much" in refusal


@pytest.mark.parametrize("options", [{}, {"rename": 2, "turned": 4, "numbers": 3}], ids=str)
def test_a_reply_is_written_in_the_form_that_the_prompt_asks_for(options: dict[str, Any]) -> None:
    game = Game(chapters="growth", concede=True)
    listed, unlisted = TextOptions(**options), TextOptions(**options, legal="none")
    for number, line in enumerate(legal_turns(game, listed), 1):
        actions = read_reply(game, f"TURN: {number}", listed)
        assert not isinstance(actions, Refusal)
        assert write_reply(game, actions, listed) == f"TURN: {number}"
        assert write_reply(game, actions, unlisted) == f"TURN: {line}"
    concede = game.action_names.index("concede")
    assert read_reply(game, write_reply(game, [concede], listed), listed) == (concede,)


def test_offers_concessions_and_answers_are_turns() -> None:
    game = Game(concede=True, draws=True)
    assert names(game, "TURN: concede") == ("concede",)
    assert names(game, "TURN: choose 1; concede") == ("choose 1", "concede")
    assert names(game, "TURN: offer draw") == ("offer draw",)
    game.play("offer draw")
    assert names(game, '{"turn": ["decline draw"]}') == ("decline draw",)


def test_a_game_that_is_over_takes_no_turn() -> None:
    over = played(Game(max_turns=1), 100)
    assert "may not be played" in names(over, LINE)


CONFIGURATIONS: list[tuple[type[BaseGame], dict[str, Any]]] = [
    (Game, {}),
    *[(Game, {"chapters": names}) for names in CHAPTER_SETS if names],
    (
        Game,
        {
            "chapters": CHAPTERS,
            "powers": ("overtime", "green-thumb"),
            "concede": True,
            "draws": True,
        },
    ),
    (Game, {"chapters": CHAPTERS, "powers": ("grapple", "express"), "edition": "2022"}),
    (Game, {"timeline": "draft_powers"}),
    (TerminusGame, {}),
]


def check_turns(positions: int) -> int:
    """Write, read and play every legal turn of some positions; return the number of turns."""
    generator = np.random.default_rng(positions)
    checked, count = 0, 0
    games = itertools.cycle(CONFIGURATIONS)
    while checked < positions:
        game_class, settings = next(games)
        game = game_class(seed=int(generator.integers(2**31)), **settings)
        while game.result is None and checked < positions:
            seed = int(generator.integers(50))
            for options in (
                TextOptions(),
                TextOptions(rename=seed),
                TextOptions(turned=seed),
                TextOptions(numbers=seed),
                TextOptions(rename=seed, turned=seed, eras=seed, layout=seed, numbers=seed),
            ):
                listed = legal_turns(game, options)
                told, images = image_of(game, options)
                back = {image: action for action, image in enumerate(images)}
                turns = listed_turns(told)
                for turn, line in zip(turns, listed, strict=True):
                    actions = tuple(back[action] for action in turn.actions)
                    count += 1
                    way = count % 3
                    reply = [
                        write_reply(game, actions, options),
                        f"TURN: {line}",
                        json.dumps({"turn": line.split("; ")}),
                    ][way]
                    read = read_reply(game, reply, options)
                    assert not isinstance(read, Refusal), (game, reply, read)
                    assert read == actions
                    after = game.copy()
                    for action in read:
                        after.play(action)
                    assert image_of(after.restart(), options).game == turn.after
            checked += 1
            game.play(int(generator.choice(game.legal_actions())))
    return count


def test_every_legal_turn_is_written_read_and_played_to_the_same_position() -> None:
    assert check_turns(40) > 500


@pytest.mark.nightly
def test_every_legal_turn_of_many_positions(request: pytest.FixtureRequest) -> None:
    """Ten for each game asked for; with `--games 1000` of ten thousand."""
    positions = 10 * request.config.getoption("--games")
    assert check_turns(positions) > 10 * positions


def fuzz(replies: int) -> dict[str, int]:
    """Read a number of replies made of pieces of answers, and count them by kind.

    Each yields a turn that can be played, or a reason. Of a form that leaves no doubt and stands
    alone, it is the turn that was meant.
    """
    generator = np.random.default_rng(replies)
    found = dict.fromkeys(("turn", "illegal", "protocol"), 0)
    starts: list[BaseGame] = [
        played(game_class(seed=1, **settings), 7) for game_class, settings in CONFIGURATIONS
    ]
    noise = [
        *'{}[]":;,\\ \n\t`*TURN',
        '{"turn": ',
        "TURN: ",
        '"turn"',
        "null",
        "1",
        "-1",
        "1e999",
        "NaN",
        "\ud800",
        "\0",
        "é",
        "'",
        '{"' * 50,
        "[" * 400,
        *("1. ", "#2", " or ", " (", ")", "play(", "\uff11", " -> ", "TURN: 1 of 3", "<think>"),
        *("</think>", "\n<think>", "<answer>", "</s>", "<|end|>", "\\boxed{", "$", "then ", "and "),
        *(" | ", " / ", "\u3001", "\u3002", "\u060c", "```\n", "\n- ", ". ", "Answer: ", "\u2705"),
        *("The answer is ", "The answer is 1."),
    ]
    forms = [form for form in FORMS.values() if "number>" in form and "choose" not in form]
    for _ in range(replies):
        game = starts[generator.integers(len(starts))]
        tool = str(generator.choice(["", "play"]))
        options = TextOptions(
            rename=None if generator.random() < 0.5 else 1,
            legal=str(generator.choice(["listed", "none"])),
        )
        turns = game.turns()
        pieces = []
        if turns:
            reply = write_reply(game, turns[generator.integers(len(turns))].actions, options)
            line = str(generator.choice(legal_turns(game, options)))
            meant = int(generator.integers(len(turns)))
            formed = in_form(str(generator.choice(forms)), meant + 1)
            pieces = [reply, json.dumps({"turn": line.split("; ")}), formed]
            if options.lists_turns:
                wanted = listed_turns(game)[meant].actions
                assert read_reply(game, formed, options, tool=tool) == wanted, formed
        pieces += [
            game.action_names[index] for index in generator.integers(len(game.action_names), size=3)
        ]
        pieces += [noise[index] for index in generator.integers(len(noise), size=6)]
        chosen = generator.permutation(np.array(pieces, object))[
            : generator.integers(1, len(pieces) + 1)
        ]
        reply = "".join(map(str, chosen))
        if generator.random() < 0.5:
            at = int(generator.integers(len(reply)))
            reply = (
                reply[:at]
                + str(generator.choice(["", " ", "}", '"']))
                + reply[at + int(generator.integers(3)) :]
            )
        read = read_reply(game, reply, options, tool=tool)
        if isinstance(read, Refusal):
            assert read.sentence
            assert len(read.sentence) < 3000
            found[read.kind] += 1
            continue
        found["turn"] += 1
        after = game.copy()
        for action in read:
            after.play(action)
        assert after.result is not None or (after.to_act, after.turn) != (game.to_act, game.turn), (
            reply
        )
        actions = [turn.actions for turn in listed_turns(game)]
        number = actions.index(read) + 1 if read in actions else None
        said = " ".join(unicodedata.normalize("NFKC", reply).casefold().split())
        told, images = actions_in_words(type(game), options), image_of(game, options).actions
        is_named = all(told[images[action]].casefold() in said for action in read)
        assert is_named or (options.lists_turns and str(number) in said), f"guessed from {reply!r}"
        spoken = unwrapped(split_thoughts(reply).said)
        is_marked = "turn" in spoken.casefold() or "play(" in spoken
        assert is_marked or "\n" not in spoken.strip().strip("`\n"), f"guessed from {reply!r}"
    return found


def test_fuzzed_replies_are_turns_or_reasons() -> None:
    assert min(fuzz(1000).values()) > 10


@pytest.mark.nightly
def test_many_fuzzed_replies(request: pytest.FixtureRequest) -> None:
    """A thousand for each game asked for, so a hundred thousand unless others are."""
    replies = 1000 * request.config.getoption("--games")
    assert min(fuzz(replies).values()) > replies / 100


@pytest.mark.parametrize(
    "reply",
    [
        '{"a":' * 20_000,
        "[" * 100_000,
        "{" * 100_000,
        '{"turn": ' + "[" * 50_000,
        '{"turn": ' + "9" * 10_000 + "}",
    ],
)
def test_hostile_replies_are_refused(reply: str) -> None:
    refusal = read_reply(Game(), reply)
    assert isinstance(refusal, Refusal)
    assert len(refusal.sentence) < 500


@pytest.mark.parametrize(
    "piece",
    [
        *("{}", '{ "a":1,', '{"turn"x ', "TURN:\n", "<think>\n", "</think>", "\\text{", "<a", "<|"),
        *("TURN: and then ", "TURN: 1. ", "TURN: 1; ", "-", " \u2705", "**", "and ", "answer: "),
    ],
)
def test_a_reply_takes_time_in_proportion_to_its_length(piece: str) -> None:
    """Whoever plays against a model must not wait for what it wrote."""
    reply = piece * (1_000_000 // len(piece))
    began = time.process_time()
    assert isinstance(read_reply(Game(), reply), Refusal)
    assert time.process_time() - began < 5
