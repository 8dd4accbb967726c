"""Keys that products add to records: found by their entry points, checked, and written last."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from tkm_env import Game, RecordError, from_record
from tkm_env.core import record_schema
from tkm_env.core.record_schema import ENTRY_POINTS, RecordField, by_side, record_fields

FIELDS = (
    RecordField("mood", "how it went", "'good' or 'bad'", lambda mood, *_: mood in ("good", "bad")),
    RecordField("seed", "not what it is", "anything", lambda *_: True),
    RecordField(
        "sleep",
        "hours of sleep, by side",
        "an object with hours for {players}, or for one of them",
        by_side(lambda hours: type(hours) in (int, float)),
        kept=lambda sleep: {side: round(hours) for side, hours in sleep.items()},
    ),
)


@pytest.fixture
def guest(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package whose records hold `FIELDS`, and one that is listed but has been taken away."""
    module = ModuleType("guest")
    module.FIELDS = FIELDS
    monkeypatch.setitem(sys.modules, "guest", module)
    listed = {
        "guest": EntryPoint("guest", "guest:FIELDS", ENTRY_POINTS),
        "gone": EntryPoint("gone", "tkm_env.gone.fields:FIELDS", ENTRY_POINTS),
    }
    monkeypatch.setattr(record_schema, "installed", lambda group: listed)
    record_fields.cache_clear()
    yield
    record_fields.cache_clear()


def test_a_package_adds_keys_after_those_of_the_game(guest: None) -> None:
    game = Game()
    game.play("choose 1")
    record = game.to_record(sleep={"black": 7.6}, mood="good", seed=3)
    assert list(record)[-3:] == ["result", "mood", "sleep"]
    assert (record["mood"], record["sleep"]) == ("good", {"black": 8})
    assert from_record(record) == game


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("mood", "sad", "mood: it must be 'good' or 'bad', not 'sad'"),
        ("sleep", {}, "sleep: it must be an object with hours for white and black, or for one of"),
        ("sleep", {"red": 1}, "sleep: it must be an object with hours for white and black"),
        ("seed", "x", "seed: it must be an integer from 0"),
        (
            "digest",
            "x",
            "digest: there is no such key; valid keys: .*, fault, adjudicated, mood, sleep$",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_its_key(
    guest: None, key: str, value: object, message: str
) -> None:
    with pytest.raises(RecordError, match=message) as read:
        from_record(Game().to_record() | {key: value})
    assert read.value.key == key
    with pytest.raises(RecordError, match=message) as written:
        Game().to_record(**{key: value})
    assert written.value.key == key


@pytest.mark.slow
def test_the_record_of_a_game_imports_no_product() -> None:
    program = "import sys; from tkm_env import Game; Game.from_record(Game().to_record(seed=1))"
    program += (
        "; print(sorted({name.split('.')[1] for name in sys.modules if name[:8] == 'tkm_env.'}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not {"arena", "play", "course", "text"} & {*run.stdout.split("'")}
