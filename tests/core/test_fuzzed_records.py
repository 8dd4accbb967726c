"""Records, and files of them, are read exactly as they stand, or refused.

What is written can be read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.mutations import damaged_bytes, damaged_json, odd_values
from tests.fuzz.refusals import accepted
from tkm_env import Game, TerminusGame, from_record, read_records, write_record
from tkm_env.core.game import BaseGame
from tkm_env.core.record_schema import record_fields
from tkm_env.core.registry import game_spec
from tkm_env.games.terminus.deck import DEFAULT_DECK


def played(game: BaseGame, plies: int, seed: int) -> BaseGame:
    """The game after some random actions."""
    generator = np.random.default_rng(seed)
    while game.result is None and len(game.history) < plies:
        game.play(int(generator.choice(game.legal_actions())))
    return game


def judged(game: BaseGame, seed: int) -> dict[str, Any]:
    """The record of a game that a fault ended."""
    fault = {
        "player": game.to_act,
        "kind": "timeout",
        "ply": len(game.history) + 1,
        "seen": "no answer in time",
    }
    places = dict.fromkeys(game.players, "process")
    return recorded(game, seed, fault=fault, isolation=places, memory={game.players[1]: 35.5})


def recorded(game: BaseGame, seed: int, **details: Any) -> dict[str, Any]:
    names = dict(zip(game.players, ("Ada", "Bob \u2028 \u00e9"), strict=True))
    return game.to_record(
        players=names, seed=seed, seconds=np.linspace(0, 1, len(game.history)), **details
    )


SWAPPED = (*DEFAULT_DECK[:15], DEFAULT_DECK[16], DEFAULT_DECK[15])

#: Records of both games: bare and full, unfinished and over, with and without a position.
RECORDS = [
    Game().to_record(),
    recorded(played(Game(chapters="growth", max_turns=2), 99, 1), 1),
    recorded(played(Game(timeline="draft_powers", seed=2), 9, 2), 2**120),
    recorded(
        played(
            Game(
                chapters=("growth", "memory"),
                powers=("brushwood", None),
                handicap=(1, 0),
                edition="2022",
            ),
            5,
            3,
        ),
        3,
    ),
    judged(played(Game(), 5, 7), 7),
    recorded(played(TerminusGame(seed=4), 4, 4), 4),
    judged(played(TerminusGame(seed=4), 4, 4), 4),
    recorded(played(TerminusGame(deck=SWAPPED, seed=5), 99, 5), 5),
    {key: value for key, value in recorded(played(Game(), 3, 6), 6).items() if key != "game"}
    | {"version": 1},
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records") / "games.jsonl"


def check_exact(game: BaseGame, record: dict[str, Any]) -> None:
    """The game is what the record says, and says so again."""
    assert list(record) == [*dict.fromkeys(record)]
    assert set(record) <= set(record_fields())
    assert [game.action_names[action] for action in game.history] == record["actions"]
    if "fault" not in record:
        assert game.result == record["result"]
    assert game.name == record.get("game", "tkm")
    assert game.config == game_spec(game.name).config(record["config"])
    if "position" in record:
        assert game.start.position == record["position"]
    details = {
        key: record[key]
        for key in ("players", "seed", "seconds", "fault", "isolation", "memory")
        if key in record
    }
    again = game.to_record(**details)
    assert again["result"] == record["result"]
    for key in details:
        if key in ("seconds", "memory", "cpu"):
            assert again[key] == pytest.approx(
                record[key], abs={"seconds": 1e-6, "memory": 0.1}[key]
            )
        else:
            assert json.dumps(again[key], sort_keys=True) == json.dumps(record[key], sort_keys=True)
    assert from_record(again) == game


@given(st.sampled_from(RECORDS).flatmap(damaged_json))
def test_a_record_is_played_exactly_or_refused(record: Any) -> None:
    before = repr(record)
    game = accepted(lambda: from_record(record), lambda: repr(record))
    assert repr(record) == before, "reading a record changed it"
    if game is not None:
        check_exact(game, record)


def text_of(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


files = st.one_of(
    st.lists(st.sampled_from(RECORDS), min_size=1, max_size=3).map(text_of),
    st.sampled_from(RECORDS).map(lambda record: json.dumps(record, indent=1).encode()),
)


@given(files.flatmap(damaged_bytes))
def test_a_file_is_read_line_by_line_exactly_or_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    found = accepted(lambda: list(read_records(path)), path.read_bytes)
    if found is None:
        return
    lines = content.split(b"\n")
    filled = [(number, line) for number, line in enumerate(lines, 1) if line.strip(b" \t\r")]
    if [number for number, _ in found] != [number for number, _ in filled]:
        filled = [(1, content)]  # one record over several lines
    for (number, record), (at, line) in zip(found, filled, strict=True):
        assert number == at
        said = json.loads(line.decode())
        if said["version"] == 1:
            said |= {"version": 2, "game": "tkm"}
        assert json.dumps(record, sort_keys=True) == json.dumps(said, sort_keys=True)


@given(st.sampled_from(RECORDS).flatmap(damaged_json), st.booleans())
def test_a_line_is_read_exactly_or_refused(path: Path, record: Any, escaped: bool) -> None:
    try:
        path.write_bytes(json.dumps(record, ensure_ascii=escaped).encode("utf-8", "surrogatepass"))
    except ValueError:  # a number with too many digits
        return
    found = accepted(lambda: list(read_records(path)), path.read_bytes)
    if found:
        ((number, read),) = found
        expected = record if record["version"] == 2 else record | {"version": 2, "game": "tkm"}
        assert (number, json.dumps(read)) == (1, json.dumps(expected))


@given(
    st.one_of(files, files.flatmap(damaged_bytes), files.map(lambda content: content[:-1])),
    st.sampled_from(RECORDS),
)
def test_a_record_is_added_to_what_is_there_or_refused(
    path: Path, content: bytes, record: dict[str, Any]
) -> None:
    path.write_bytes(content)
    readable = accepted(lambda: list(read_records(path)))

    def add() -> bool:
        write_record(path, record)
        return True

    if accepted(add, path.read_bytes):
        added = json.dumps(record).encode() + b"\n"
        joint = b"" if content.endswith(b"\n") or not content else b"\n"
        assert path.read_bytes() == content + joint + added
        if readable is not None and readable != []:
            assert [read for _, read in read_records(path)][:-1] == [read for _, read in readable]
    else:
        assert path.read_bytes() == content


@given(st.one_of(st.sampled_from(RECORDS).flatmap(damaged_json), odd_values()))
def test_what_is_written_can_be_read(path: Path, record: Any) -> None:
    path.unlink(missing_ok=True)

    def write() -> bool:
        write_record(path, record)
        return True

    if accepted(write, path.exists):
        ((_, read),) = read_records(path)
        expected = record if record["version"] == 2 else record | {"version": 2, "game": "tkm"}
        assert json.dumps(read) == json.dumps(expected)


arguments = {
    "players": st.one_of(odd_values(), damaged_json({"white": "Ada", "black": "Bob"})),
    "seed": st.one_of(odd_values(), st.integers(), st.integers(0, 2**63 - 1).map(np.uint64)),
    "seconds": st.one_of(
        odd_values(),
        damaged_json([0.5, 1]),
        st.lists(st.floats(), min_size=2, max_size=2).map(np.array),
    ),
}
GAME = played(Game(), 2, 1)


@given(st.fixed_dictionaries({}, optional=arguments))
def test_a_record_is_made_of_what_is_given_or_it_is_refused(given_details: dict[str, Any]) -> None:
    record = accepted(
        lambda: GAME.to_record(**given_details), lambda: (GAME.position, repr(given_details))
    )
    if record is None:
        return
    assert json.loads(json.dumps(record)) == record
    assert from_record(record) == GAME
    for key, value in given_details.items():
        if value is None:
            assert key not in record
        elif key == "seconds":
            assert record[key] == pytest.approx(list(value), abs=1e-6)
        else:
            assert record[key] == value
            assert not isinstance(value, (bool, float))
