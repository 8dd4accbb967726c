"""Single turns with credit: the same by every way, and never for a reply that is refused."""

from __future__ import annotations

import copy
import pickle

import pytest

from tkm_env import ConfigError, RecordError
from tkm_env.questions import BestTurnEnv, BestTurnSet, ValuedPosition, make_valued_position
from tkm_env.text import TextOptions, legal_turns

OPTIONS = TextOptions(rename=3, style="terse")


def test_a_seed_gives_a_position_in_which_the_choice_matters() -> None:
    positions = [make_valued_position(seed, depth=1, chapters="growth") for seed in range(3)]
    assert len({position.position for position in positions}) == 3
    for seed, position in enumerate(positions):
        assert position == make_valued_position(seed, depth=1, chapters="growth")
        turns = position.game.turns()
        credit = {turn.actions: position.credit(turn.actions) for turn in turns}
        assert (min(credit.values()), max(credit.values())) == (0, 1)
        assert credit[position.best] == 1
        assert sum(credit.values()) / len(credit) == pytest.approx(position.credit_at_random)
        assert position.credit_at_random < 1
        assert "G" in position.position


def test_a_row_is_the_position() -> None:
    position = make_valued_position(5, depth=1)
    assert ValuedPosition.from_row(position.row()) == position
    with pytest.raises(RecordError, match="no row of a valued position"):
        ValuedPosition.from_row(position.row() | {"values": 3})


def test_an_episode_is_one_turn_with_credit() -> None:
    env = BestTurnEnv(depth=1, options=OPTIONS)
    told = env.reset(seed=4)
    assert told == env.reset(seed=4, prompt="ignored", column=1)
    assert told.endswith("call play")
    assert (env.done, env.get_reward()) == (False, 0.0)
    (best, *_) = (
        number
        for number, turn in enumerate(legal_turns(env.position.game, OPTIONS), 1)
        if env.position.mark(f"TURN: {turn}", OPTIONS) == 1
    )
    assert env.play(best) == 1.0
    assert (env.done, env.get_reward()) == (True, 1.0)
    assert env.play("no such thing") == 1.0, "a second answer does not count"
    again = pickle.loads(pickle.dumps(copy.deepcopy(env)))
    assert again.reset(seed=4) == told


def test_seeds_follow_each_other_and_refused_answers_earn_nothing() -> None:
    env = BestTurnEnv(depth=1, tool="")
    seen = []
    for reply in ("I pass.", "TURN: choose 99", '{"turn": 0}'):
        assert "End your answer" in env.reset()
        seen.append(env.position.position)
        assert env.play(reply) == 0.0
    assert seen == [make_valued_position(seed, depth=1).position for seed in range(3)]


@pytest.mark.parametrize("reply", ["concede", "TURN: concede"])
def test_conceding_earns_nothing(reply: str) -> None:
    env = BestTurnEnv(depth=1, tool="", concede=True)
    env.reset(seed=1)
    assert env.play(reply) == 0.0
    assert env.done


def test_a_set_has_the_interface_of_procedural_data_sets() -> None:
    positions = BestTurnSet(size=4, seed=3, depth=1, options=OPTIONS)
    entries = [*positions]
    assert len(positions) == len(entries) == 4
    assert BestTurnSet(size=4, seed=3, depth=1, options=OPTIONS)[2] == entries[2]
    assert BestTurnSet(size=4, seed=4, depth=1, options=OPTIONS)[2] != entries[2]
    for index, entry in enumerate(entries):
        assert {*entry} == {"question", "answer", "metadata"}
        assert entry["metadata"]["source_index"] == index
        assert positions.score_answer(entry["answer"], entry) == 1.0
        assert positions.score_answer(None, entry) == 0.0
        partial = positions.score_answer("I play TURN: 1", entry)
        assert partial == 0.0, "not guessed from prose"
        assert 0 <= positions.score_answer("I play\nTURN: 1", entry) <= 1
    with pytest.raises(IndexError, match="there is no position 4"):
        positions[4]
    with pytest.raises(RecordError):
        positions.score_answer("1", {"metadata": {"position": {}}})


@pytest.mark.parametrize("make", [BestTurnEnv, BestTurnSet])
def test_what_does_not_fit_is_refused_at_once(make: type[BestTurnEnv | BestTurnSet]) -> None:
    with pytest.raises(ConfigError, match="values of turns are not available"):
        make(game="terminus")
    with pytest.raises(ConfigError, match="depth"):
        make(depth=0)
    with pytest.raises(ConfigError, match="chapters"):
        make(chapters="chess")
    with pytest.raises(ConfigError, match="draws the first one"):
        _ = BestTurnEnv().position
    with pytest.raises(ConfigError, match="seed"):
        BestTurnEnv().reset(seed=-1)


def test_settings_that_leave_no_choice_are_refused() -> None:
    with pytest.raises(ConfigError, match="no fitting position"):
        make_valued_position(1, depth=1, max_turns=1)
