"""The lines between referee and bots: what is written can be read, all else is refused."""

from __future__ import annotations

import pytest

from tests.games.tictactoe import TicTacToe
from tkm_env import ConfigError, Game, GameConfig, ProtocolError, TerminusGame
from tkm_env.core.settings import changed_settings
from tkm_env.isolation.bot_protocol import (
    LONGEST_VALUE,
    Begin,
    End,
    Go,
    Hello,
    Info,
    Play,
    Quit,
    check_names,
    expected,
    parse_answer,
    parse_request,
)


@pytest.mark.parametrize(
    ("text", "report"),
    [
        ("score 0.2 depth 3", {"score": 0.2, "depth": 3}),
        ("depth 12 nodes 40000 score -1", {"score": -1.0, "depth": 12}),
        ("score +0.5 score 0.25", {"score": 0.25}),
        ("time 5 score 1.5", {}),
        ("score nan depth -1", {}),
        ("score 1e-1", {}),
        ("depth \u0663", {}),
        ("score", {}),
        ("I am fine", {}),
        ("", {}),
    ],
)
def test_a_remark_may_report_a_score_and_a_depth(text: str, report: dict[str, float]) -> None:
    assert Info(text).report == report


POSITION = Game().position
REQUESTS = [
    Begin("tkm", "white", 17),
    Begin(
        "tkm",
        "black",
        2**62,
        changed_settings(GameConfig(timeline="draft_powers", handicap=(0, 1))),
    ),
    Begin("terminus", "red", 0, {"deck": ["a b", 'c | "d"; é']}),
    Go(POSITION, (0,)),
    Go(POSITION, (0, 15, 99), ("choose 1", "move east"), left_ms=4000, seed=7),
    Go(
        TerminusGame(seed=1).visible_position,
        (3,),
        ("done",),
        left_ms=1,
        seed=0,
        bank_ms=1,
        inc_ms=0,
    ),
    End("1-0"),
    End("*", "stopped"),
    Quit(),
]
ANSWERS = [
    Hello("MyBot"),
    Hello("alphabeta:depth=4", "3.1"),
    Hello("x" * LONGEST_VALUE, "y" * LONGEST_VALUE),
    Info("score 0.3 depth 4"),
    Info(""),
    Play((0,)),
    Play(("choose 1", "move east", 15)),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_requests_are_read_as_they_were_written(request_: Begin) -> None:
    line = str(request_)
    assert "\n" not in line
    read = parse_request(line)
    if isinstance(read, Go):
        assert read == Go(**{**vars(request_), "played": tuple(request_.played)})
    else:
        assert read == request_


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_answers_are_read_as_they_were_written(answer: Play) -> None:
    assert parse_answer(str(answer)) == answer


def test_the_head_of_a_request_splits_at_spaces_and_its_parts_at_bars() -> None:
    """What makes a bot of five lines possible, in any language."""
    for request in REQUESTS[:6]:
        head, *parts = str(request).split(" | ")
        assert all("=" in word for word in head.split(" ")[1:] if word != "1"), head
        assert len(parts) == (2 if isinstance(request, Go) else 0)


def test_words_that_a_bot_does_not_know_are_ignored() -> None:
    assert parse_request("tkm 1 mood=good game=tkm seat=white seed=1") == Begin("tkm", "white", 1)
    assert parse_request("go mood=good legal=0 | here | ") == Go("here", (0,))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "writes tkm, info or play"),
        ("Play 0", "writes tkm, info or play"),
        (" play 0", "writes tkm, info or play"),
        ("choose 1", "writes tkm, info or play"),
        ("play", "at least one action"),
        ("play ", "at least one action"),
        ("play 0;", "an action is empty"),
        ("play 0;;1", "an action is empty"),
        ("play 0\t1", "printable"),
        ("play \0", "printable"),
        ("play \x1b[2J", "printable"),
        ("tkm", "the version must be 1, not ''"),
        ("tkm 2 name=x", "the version must be 1, not '2'"),
        ("tkm 1", "name= is required"),
        ("tkm 1 name=", "name= is required"),
        ("tkm 1 MyBot", "not of the form name=value"),
        ("tkm 1 name=My Bot", "'Bot' is not of the form"),
        ("tkm 1 name=Bot name=Bot", "'name' is given twice"),
        ("tkm 1 name=Bot author=me", "there is no 'author'; it may have name and version"),
        (f"tkm 1 name={'x' * (LONGEST_VALUE + 1)}", "at most 200 characters"),
        ("tkm 1 name=Jürgen", "printable ASCII"),
    ],
)
def test_invalid_answers_are_refused(line: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message) as error:
        parse_answer(line)
    assert error.value.line == line


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "writes tkm, go, end or quit"),
        ("quit now", "writes tkm, go, end or quit"),
        ("tkm 2 game=tkm seat=white seed=1", "version must be 1"),
        ("tkm 1 seat=white seed=1", "game= is required"),
        ("tkm 1 game=tkm seat=white seed=one", "seed= must be an integer from 0, not 'one'"),
        ("tkm 1 game=tkm seat=white config=[]", "config= must be an object"),
        ("tkm 1 game=tkm seat=white config={", "config= is not JSON"),
        ("go legal=0", "three parts"),
        ("go legal=0 | here", "three parts"),
        ("go legal=0 | here | now | then", "three parts"),
        ("go seed=1 | here | ", "legal= is required"),
        ("go legal=0,x | here | ", "legal= must be an integer from 0, not 'x'"),
        ("go legal=0 left_ms=-1 | here | ", "left_ms= must be an integer from 0"),
        ("end", "result= is required"),
    ],
)
def test_invalid_requests_are_refused(line: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        parse_request(line)


def test_an_answer_to_another_question_is_refused() -> None:
    assert expected("play 0", Play) == Play((0,))
    with pytest.raises(ProtocolError, match="the answer must be play"):
        expected("tkm 1 name=x", Play)
    with pytest.raises(ProtocolError, match="the answer must be tkm"):
        expected("play 0", Hello)


def test_names_that_lines_cannot_hold_are_refused() -> None:
    for game in (Game, TerminusGame, TicTacToe):
        check_names(game.name, game.players, game.action_names)
    with pytest.raises(ConfigError, match="printable and have no spaces"):
        check_names("my game", ("a", "b"), ())
    for name in ("3", "a;b", "a | b", " a", "", "a\nb"):
        with pytest.raises(ConfigError, match="express the action"):
            check_names("game", ("a", "b"), (name,))
