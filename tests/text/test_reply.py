"""Replies yield a turn to the same position, or a reason; never an exception, never a guess."""

from __future__ import annotations

import itertools
import json
import time
from typing import Any

import numpy as np
import pytest

from tests.text.test_prompt import CHAPTERS, played
from tkm_env import Game, TerminusGame
from tkm_env.core.game import BaseGame
from tkm_env.text import Refusal, TextOptions, legal_turns, read_reply, write_reply
from tkm_env.text.options import DEFAULT_OPTIONS

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


@pytest.mark.parametrize(
    "reply",
    [
        JSON,
        LINE,
        f'I could play {{"turn": ["choose 1"]}}, but no:\n```json\n{JSON}\n```\nThat is my turn.',
        f"{JSON}\n{LINE}",
        f"TURN: choose 16\n{JSON}",
        f"**{LINE}**",
        f"  > `{LINE}`\r\n",
        LINE.upper(),
        "TURN: choose  1 ;move east;  move south; focus present",
        '{"turn": "choose 1; move east; move south; focus present", "why": {"turn": ["choose 2"]}}',
        f"{{not json}} {JSON}",
        f'{{"turn": ["choo\nI begin again: {JSON}',
        LINE.replace("TURN", "Turn"),
        f"{LINE};",
        f"{LINE}.",
        LINE.replace(" ", "\u00a0"),
        LINE.replace(";", "\uff1b"),
        LINE.replace(";", ","),
        "TURN: 'choose 1; move east; move south; focus present'",
        "**Turn:** choose 1; move east; move south; focus present",
        "TURN: 1. choose 1; 2. move east; 3. move south; 4. focus present",
        str({"turn": [*TURN]}),
        JSON.replace("]", ",]"),
        JSON.replace("}", ",}"),
        f"play({JSON})",
        f"{LINE}\nturn: 7 of 200; you: white",
    ],
)
def test_a_turn_is_read_from_the_last_object_or_line(reply: str) -> None:
    assert names(Game(), reply) == TURN


@pytest.mark.parametrize(
    ("reply", "kind", "sentence"),
    [
        ("", "protocol", "neither a JSON object"),
        ("choose 1, move east, move south, focus present", "protocol", "neither a JSON object"),
        (
            "My turn: choose 1; move east; move south; focus present",
            "protocol",
            "neither a JSON object",
        ),
        (f"{JSON} and then {{}}", "protocol", 'has no "turn"'),
        (f'{JSON} {{"Turn": 1}}', "protocol", 'has no "turn"'),
        ('{"turn": 1, "turn": 2}', "protocol", 'more than one "turn"'),
        (f'{LINE}\n{{"turn": ["choose 1", "mo', "protocol", "incomplete"),
        ('{"turn": []}', "protocol", "no actions"),
        ("TURN:", "protocol", "no actions"),
        ('{"turn": true}', "protocol", "must be a list"),
        ('{"turn": 1.5}', "protocol", "must be a list"),
        ('{"turn": Infinity}', "protocol", "must be a list"),
        ('{"turn": null}', "protocol", "must be a list"),
        ('{"turn": [1, 2]}', "protocol", "must be a list"),
        ('{"turn": 0}', "illegal", "numbered from 1 to"),
        ("TURN: 999999999", "illegal", "numbered from 1 to"),
        ("TURN: " + "9" * 5000, "illegal", "not the name of an action"),
        ('{"turn": ["go"]}', "illegal", "Action 1, 'go', is not the name of an action."),
        (
            "TURN: choose 1; move east",
            "illegal",
            "The turn is not finished after 'choose 1', 'move east'; legal there: 'move east'",
        ),
        (
            "TURN: choose 1; move north; focus present",
            "illegal",
            "Action 2, 'move north', may not be played after 'choose 1'; legal",
        ),
        (
            f"{LINE}; choose 16",
            "illegal",
            "Action 5, 'choose 16', is too much: the turn ends after 'choose 1'",
        ),
        (
            "TURN: focus present",
            "illegal",
            "Action 1, 'focus present', may not be played; legal there: 'choose 1'.",
        ),
    ],
)
def test_what_is_no_turn_is_refused_in_a_sentence(reply: str, kind: str, sentence: str) -> None:
    refusal = read_reply(Game(), reply)
    assert isinstance(refusal, Refusal)
    assert refusal.kind == kind
    assert sentence in refusal.sentence
    assert refusal.sentence in refusal.message


def test_numbers_are_answers_only_where_turns_are_listed() -> None:
    game = Game()
    turn = game.turns()[4].actions
    for reply in ('{"turn": 5}', "TURN: 5", '{"turn": "5"}'):
        assert read_reply(game, reply) == turn
        for legal in ("counted", "none"):
            assert isinstance(read_reply(game, reply, TextOptions(legal=legal)), Refusal)


@pytest.mark.parametrize(
    "answer",
    ["5.", "#5", "5)", "5:", "\uff15", "5;", "05", "5.0", '"5"', "5 (a safe one)", "**5**"],
)
def test_a_number_may_stand_as_in_a_list(answer: str) -> None:
    game = Game()
    assert read_reply(game, f"TURN: {answer}") == game.turns()[4].actions


@pytest.mark.parametrize(
    "answer", ["[5]", "5.0", "[5.0]", '"5"', '["5"]', '"#5"', "5,", "[5,]", '["5. {line}"]']
)
def test_a_number_in_an_object_may_stand_in_a_list_or_as_text(answer: str) -> None:
    game = Game()
    line = "; ".join(game.action_names[action] for action in game.turns()[4].actions)
    reply = '{"turn": ' + answer.replace("{line}", line) + "}"
    assert read_reply(game, reply) == game.turns()[4].actions


def test_a_listed_turn_may_be_copied_with_its_number_and_a_wrong_number_is_refused() -> None:
    game = Game()
    for number, line in enumerate(legal_turns(game), 1):
        turn = game.turns()[number - 1].actions
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
        == "Action 1, 'focus past', may not be played."
    )


def test_renamed_a_refusal_is_in_the_words_of_the_prompt_and_quotes_the_reply_as_it_is() -> None:
    options = TextOptions(rename=3)
    assert names(Game(), LINE, options) == "Action 1, 'choose 1', is not the name of an action."
    (listed, *_) = legal_turns(Game(), options)
    refusal = names(Game(), f"TURN: {listed}; {listed}", options)
    assert "choose" not in refusal
    assert "is too much" in refusal


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
    *[(Game, {"chapters": two}) for two in itertools.combinations(CHAPTERS, 2)],
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
            for options in (TextOptions(), TextOptions(rename=int(generator.integers(50)))):
                listed = legal_turns(game, options)
                for number, (turn, line) in enumerate(zip(game.turns(), listed, strict=True), 1):
                    count += 1
                    way = count % 3
                    reply = [
                        write_reply(game, turn.actions, options),
                        f"TURN: {line}",
                        f"TURN: {number}",
                    ][way]
                    read = read_reply(game, reply, options)
                    assert not isinstance(read, Refusal), (game, reply, read)
                    assert read == turn.actions
                    after = game.copy()
                    for action in read:
                        after.play(action)
                    assert after == turn.after
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

    Each yields a turn that can be played, or a reason.
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
    ]
    for _ in range(replies):
        game = starts[generator.integers(len(starts))]
        options = TextOptions(
            rename=None if generator.random() < 0.5 else 1,
            legal=str(generator.choice(["listed", "none"])),
        )
        turns = game.turns()
        pieces = (
            [write_reply(game, turns[generator.integers(len(turns))].actions, options)]
            if turns
            else []
        )
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
        read = read_reply(game, reply, options)
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
        assert "turn" in reply or "TURN:" in reply, f"guessed from {reply!r}"
    return found


def test_fuzzed_replies_are_turns_or_reasons() -> None:
    assert min(fuzz(1000).values()) > 10


@pytest.mark.nightly
def test_many_fuzzed_replies(request: pytest.FixtureRequest) -> None:
    """A hundred for each game asked for; with `--games 1000` a hundred thousand."""
    replies = 100 * request.config.getoption("--games")
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


@pytest.mark.parametrize("piece", ["{}", '{ "a":1,', '{"turn"x ', "TURN:\n"])
def test_a_reply_takes_time_in_proportion_to_its_length(piece: str) -> None:
    """Whoever plays against a model must not wait for what it wrote."""
    reply = piece * (1_000_000 // len(piece))
    began = time.process_time()
    assert isinstance(read_reply(Game(), reply), Refusal)
    assert time.process_time() - began < 5
