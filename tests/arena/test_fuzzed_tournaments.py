"""Random tournaments: as calls, as tables, as files; whatever is wrong is refused by name."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.mutations import damaged_bytes, damaged_json
from tests.fuzz.odd import odd, or_odd
from tests.fuzz.refusals import accepted
from tkm_env import GameConfig
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.submissions import entrants_in
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.arena.tournament.tournament_file import KEYS, read_tournament, tournament_of
from tkm_env.evaluation.starts import Settings

TWO = (Entrant("a", "random"), Entrant("b", "greedy"))
CONTENT: dict[str, Any] = {
    "kind": "gauntlet",
    "pairs": 3,
    "challengers": ["ann"],
    "seed": 9,
    "players": [
        {"player": "greedy", "game": "tkm"},
        {"name": "ann", "player": "random", "readable": ["x"]},
    ],
    "settings": [
        {"chapters": "growth+memory", "max_turns": 90},
        {"game": "terminus"},
        {"openings": "random", "opening_turns": 4},
    ],
    "conditions": {"isolation": "process", "turn_seconds": 5, "memory_mib": 100},
}
FILE = """
kind = "continuous"
within = 20.5
players = [{player = "greedy"}, {name = "ann", player = "random"}]

[[settings]]
chapters = ["growth"]

[conditions]
bank_seconds = 3
"""


@given(
    keywords=st.fixed_dictionaries(
        {"players": or_odd(TWO)},
        optional={
            field.name: odd
            for field in dataclasses.fields(Tournament)
            if field.init and field.name != "players"
        },
    )
)
def test_tournaments(keywords: dict[str, Any]) -> None:
    accepted(lambda: Tournament(**keywords))


@given(st.builds(Entrant, or_odd("a"), or_odd("random"), or_odd(None), or_odd(())))
def test_entrants(entrant: Entrant) -> None:
    accepted(lambda: Tournament((TWO[1], entrant)))


@given(
    keywords=st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("game", "config", "openings", "opening_turns"), odd)
    )
)
def test_settings(keywords: dict[str, Any]) -> None:
    accepted(lambda: Settings(**keywords))


@given(
    keywords=st.fixed_dictionaries(
        {}, optional=dict.fromkeys((field.name for field in dataclasses.fields(Conditions)), odd)
    )
)
def test_conditions(keywords: dict[str, Any]) -> None:
    accepted(lambda: Conditions(**keywords))


@given(openings=st.lists(st.text("W.B/|- wbc0123456789PFN", max_size=60), max_size=3))
def test_openings(openings: list[str]) -> None:
    settings = Settings(config=GameConfig(max_turns=3), openings=tuple(openings))
    running = Tournament(TWO, (settings,), pairs=1).play()
    accepted(lambda: next(running))


@given(damaged_json(CONTENT))
def test_damaged_tables(content: Any) -> None:
    accepted(lambda: tournament_of(content))


@given(
    key=st.sampled_from([(table, key) for table, keys in KEYS.items() for key in keys]), value=odd
)
def test_odd_tables(key: tuple[str, str], value: Any) -> None:
    content = json.loads(json.dumps(CONTENT))
    table, name = key
    place = content[table] if table else content
    (place[0] if isinstance(place, list) else place)[name] = value
    accepted(lambda: tournament_of(content))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("league") / "league.toml"


@given(content=damaged_bytes(FILE.encode()))
def test_damaged_files(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    accepted(lambda: read_tournament(path))


@given(value=odd)
def test_odd_paths(value: Any) -> None:
    accepted(lambda: read_tournament(value))
    accepted(lambda: entrants_in(value))
