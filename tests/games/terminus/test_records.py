"""Game records of Terminus: a game comes back with everything hidden.

Errors name the invalid key.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.games.terminus.games import DECKS, EVENTFUL, generator_of, random_action
from tkm_env import Game, RecordError, TerminusGame
from tkm_env.core.record_files import from_record, read_records, write_record
from tkm_env.core.record_schema import GAME_FIELDS
from tkm_env.games.terminus.deck import DEFAULT_DECK, write_deck

START = "1:.I. r p 2,9,13/3,5,16 12,7,11,4,17,6,15,8,14,10 -/- 1 00000000000000ff"
SEEN = "1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -"


def played(seed: int, **settings: Any) -> TerminusGame:
    game, generator = TerminusGame(seed=seed, **settings), generator_of(seed)
    while game.result is None:
        game.play(random_action(game, generator))
    return game


def record(**changes: Any) -> dict[str, Any]:
    usual = {
        "kind": "tkm_env game record",
        "version": 2,
        "game": "terminus",
        "config": {},
        "position": START,
    }
    return usual | {"actions": ["play first at right"], "result": None} | changes


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("seed", range(4))
def test_a_game_comes_back_with_its_deck_and_its_shuffles(deck: str, seed: int) -> None:
    game = played(seed, deck=DECKS[deck])
    details = {
        "players": {"red": "random", "blue": "the other"},
        "seed": seed,
        "seconds": [0.25] * len(game.history),
    }
    read = json.loads(json.dumps(game.to_record(**details)))
    assert list(read) == [
        field.name for field in GAME_FIELDS if field.name not in ("fault", "adjudicated")
    ]
    again = TerminusGame.from_record(read)
    assert (again, again.history, again.config, again.start) == (
        game,
        game.history,
        game.config,
        game.start,
    )
    assert again.to_record(**details) == read


def test_a_game_that_began_in_a_position_comes_back() -> None:
    whole = played(3, deck=EVENTFUL)
    for ply in range(len(whole.history)):
        game = TerminusGame(position=whole.at(ply).position, deck=EVENTFUL)
        for action in whole.history[ply:]:
            game.play(action)
        assert TerminusGame.from_record(game.to_record()) == game == whole


def test_a_deck_is_kept_card_by_card_where_it_is_not_the_usual_one(tmp_path: Path) -> None:
    write_deck(tmp_path / "deck.json", EVENTFUL)
    game = TerminusGame(deck=tmp_path / "deck.json", seed=1)
    assert game.to_record()["config"] == {"deck": list(EVENTFUL)}
    assert TerminusGame.from_record(game.to_record()) == game
    assert TerminusGame(deck=DEFAULT_DECK, seed=1).to_record()["config"] == {}


@pytest.mark.parametrize(
    ("wrong", "key", "message"),
    [
        (record(game="tkm"), "position", "position"),
        (record(config={"deck": "deck.json"}), "config", "the deck itself"),
        (record(config={"deck": ["..."]}), "config", "card 2: it is missing"),
        (record(config={"chapters": "growth"}), "config", "no such keyword; valid keywords: deck"),
        (
            {key: value for key, value in record().items() if key != "position"},
            "position",
            "begins by chance",
        ),
        (record(position=SEEN), "position", "including what the players do not see"),
        (record(players={"white": "me", "black": "you"}), "players", "the names of red and blue"),
        (
            record(actions=["play first at right", "done"]),
            "actions",
            "ply 2: 'done' is not legal for blue at step p",
        ),
        (record(result="1/2"), "result", "must be null or a result"),
        (record(result="1-0"), "result", "these actions lead to None"),
    ],
)
def test_a_record_that_describes_no_game_is_refused_by_key(
    wrong: Any, key: str, message: str
) -> None:
    with pytest.raises(RecordError, match=message) as refused:
        from_record(wrong)
    assert refused.value.key == key


def test_each_game_reads_its_own_records_and_the_module_reads_both(tmp_path: Path) -> None:
    games = [Game(), TerminusGame(seed=1)]
    for game in games:
        write_record(tmp_path / "games.jsonl", game.to_record())
    assert [from_record(read) for _, read in read_records(tmp_path / "games.jsonl")] == games
    with pytest.raises(RecordError, match="must be 'tkm', not 'terminus'"):
        Game.from_record(games[1].to_record())
    with pytest.raises(RecordError, match="must be 'terminus', not 'tkm'"):
        TerminusGame.from_record(games[0].to_record())
