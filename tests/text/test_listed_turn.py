"""The players that always answer with the same number, and the order of the list."""

from __future__ import annotations

import pytest

from tests.text.test_prompt import played
from tkm_env import ConfigError, Game, TerminusGame
from tkm_env.players import make_agent
from tkm_env.text import TextOptions, legal_turns, prompt_for, read_reply
from tkm_env.text.prompt import listed_turns


@pytest.mark.parametrize(("which", "index"), [("first", 0), ("last", -1)])
@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_it_plays_that_turn_of_the_list(which: str, index: int, game: str) -> None:
    agent = make_agent(f"turn:{which}", game=game)
    position = played(Game() if game == "tkm" else TerminusGame(seed=1), 8)
    expected = listed_turns(position)[index]
    for action in expected.actions:
        assert agent.act(position) == action
        position.play(action)
    assert agent.name == f"turn:{which}"


@pytest.mark.parametrize("line", ["turn:second", "turn:", "turn:first:seed=1"])
def test_there_is_no_other(line: str) -> None:
    with pytest.raises(ConfigError, match="turn"):
        make_agent(line)


def test_the_order_of_the_list_follows_from_the_position_alone() -> None:
    game = played(Game(chapters="growth"), 12)
    assert legal_turns(game) == legal_turns(game.restart())
    words = prompt_for(game, TextOptions(rename=3)).user
    assert len(legal_turns(game)) == len(legal_turns(game, TextOptions(rename=3)))
    for number, turn in enumerate(legal_turns(game, TextOptions(rename=3)), 1):
        assert f"{number}. {turn}\n" in f"{words}\n"


def test_the_place_in_the_list_says_nothing_about_the_turn() -> None:
    """Over many positions, the first in the list stands anywhere in the game's own order."""
    places = []
    for seed in range(60):
        game = played(Game(), 4 * (seed % 6), seed)
        turns = game.turns()
        if len(turns) > 1:
            first = [turn.actions for turn in turns].index(listed_turns(game)[0].actions)
            places.append(first / (len(turns) - 1))
    assert 0.3 < sum(places) / len(places) < 0.7
    assert min(places) < 0.1
    assert max(places) > 0.9


@pytest.mark.parametrize("style", ["english", "terse"])
@pytest.mark.parametrize("rename", [None, 2])
def test_a_grouped_list_says_the_same_in_fewer_characters(style: str, rename: int | None) -> None:
    for game in (played(Game(chapters=("growth", "memory")), 12), played(TerminusGame(seed=4), 8)):
        told = TextOptions(style=style, rename=rename)
        grouped = TextOptions("grouped", style=style, rename=rename)
        user = prompt_for(game, grouped).user
        assert len(user) < len(prompt_for(game, told).user)
        heading, numbers = "", []
        for line in user.splitlines():
            number, dot, last = line.partition(". ")
            if line.endswith("; then"):
                heading = line.removesuffix("then")
            elif dot and number.isdigit():
                numbers.append(int(number))
                turn = legal_turns(game, told)[int(number) - 1]
                assert turn in (f"{heading}{last}", last)
                assert (
                    read_reply(game, f"TURN: {line}", grouped)
                    == listed_turns(game)[int(number) - 1].actions
                )
        assert numbers == [*range(1, len(game.turns()) + 1)]
