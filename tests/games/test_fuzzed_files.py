"""Files of series, campaigns and decks are read exactly as they stand, or refused.

The same holds for what they are made from.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.mutations import damaged_bytes, damaged_json, odd_values
from tests.fuzz.refusals import accepted
from tkm_env import Campaign, GameConfig, Series, TerminusConfig, read_deck
from tkm_env.games.terminus.deck import DEFAULT_DECK
from tkm_env.games.tkm.campaign import CODA, JOURNEY
from tkm_env.games.tkm.series import Finished

GAMES = [Finished("white", "1-0", 9), Finished("black", "*", 200), Finished("white", "1/2", 31)] * 5
DECK = {str(number): eras for number, eras in enumerate(DEFAULT_DECK, 1)}


def series() -> Series:
    made = Series(
        ("Ada", "Bob \u2028"),
        seed=7,
        chapters=("growth", "memory"),
        powers=("brushwood", None),
        handicap=(1, 0),
    )
    made.games = GAMES[:3]
    return made


def campaign() -> Campaign:
    made = Campaign(("Ada", "Bob"), seed=2**100, max_turns=80)
    made.series.games = list(GAMES)
    made.stages = [*(name for name, games in JOURNEY.items() for _ in range(games)), *[CODA] * 3]
    made.stage = CODA
    made.choice = {"timeline": "power_share", "power_set": "random"}
    made.signed = {"unharmed": "Bob", "two-of-a-kind": "Ada"}
    made.just_signed = {"two-of-a-kind": "white"}
    return made


def series_again(path: Path) -> dict[str, Any]:
    return Series.load(path).to_dict()


def content_of(campaign: Campaign) -> dict[str, Any]:
    names = ("stages", "stage", "choice", "signed", "just_signed")
    return {
        "series": campaign.series.to_dict(),
        **{name: getattr(campaign, name) for name in names},
    }


def campaign_again(path: Path) -> dict[str, Any]:
    loaded = Campaign.load(path)
    assert loaded.next_game() == loaded.next_game(), "a campaign that is loaded goes on"
    return content_of(loaded)


def deck_again(path: Path) -> dict[str, Any]:
    return {"cards": {str(number): eras for number, eras in enumerate(read_deck(path), 1)}}


#: Of each kind of file: a reader that gives all that it read, and a content.
KINDS: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "tkm_env series": (series_again, series().to_dict()),
    "tkm_env campaign": (campaign_again, content_of(campaign())),
    "tkm_env terminus deck": (deck_again, {"cards": DECK}),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("saved") / "file.json"


def check_exact(kind: str, path: Path) -> None:
    read, _ = KINDS[kind]
    again = accepted(lambda: read(path), path.read_bytes)
    if again is not None:
        content = json.loads(path.read_bytes().decode())
        assert json.dumps({"kind": kind, "version": 1, **again}, sort_keys=True) == json.dumps(
            content, sort_keys=True
        )


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_a_file_is_read_exactly_or_refused(kind: str, path: Path, data: st.DataObject) -> None:
    content = {"kind": kind, "version": 1, **KINDS[kind][1]}
    damaged = data.draw(damaged_json(content))
    try:
        path.write_bytes(
            json.dumps(damaged, ensure_ascii=data.draw(st.booleans())).encode(
                "utf-8", "surrogatepass"
            )
        )
    except ValueError:  # a number with too many digits
        return
    check_exact(kind, path)


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_text_is_read_exactly_or_refused(kind: str, path: Path, data: st.DataObject) -> None:
    content = json.dumps({"kind": kind, "version": 1, **KINDS[kind][1]}, indent=1).encode()
    path.write_bytes(data.draw(damaged_bytes(content)))
    check_exact(kind, path)


names = st.one_of(odd_values(), st.text(max_size=3))
arguments = {
    "players": st.one_of(
        odd_values(),
        st.tuples(names, names),
        st.lists(names, max_size=3),
        st.lists(names, max_size=3).map(lambda given: np.array(given, object)),
    ),
    "seed": st.one_of(odd_values(), st.integers(), st.integers(0, 2**63 - 1).map(np.uint64)),
    "config": st.one_of(
        odd_values(), st.just(GameConfig(chapters="growth")), st.just(TerminusConfig())
    ),
    "max_turns": st.one_of(odd_values(), st.integers(-1, 10_000)),
    "chapters": st.one_of(odd_values(), st.lists(st.sampled_from(["growth", "memory", "x"]))),
    "edition": st.sampled_from(["2021", "2022", 2021, ["2021"]]),
}


@pytest.mark.parametrize("kind", [Series, Campaign])
@given(given_arguments=st.fixed_dictionaries({}, optional=arguments))
def test_a_series_is_made_of_what_is_given_or_refused(
    kind: Any, path: Path, given_arguments: dict[str, Any]
) -> None:
    made = accepted(lambda: kind(**given_arguments), lambda: repr(given_arguments))
    if made is None:
        return
    made.save(path)
    loaded = kind.load(path)
    assert loaded.next_config == made.next_config
    one = loaded if kind is Series else loaded.series
    if given_arguments.get("players") is not None:
        assert one.players == tuple(given_arguments["players"])
    if given_arguments.get("seed") is not None:
        assert one.seed == given_arguments["seed"]
        assert type(given_arguments["seed"]) is not bool
    assert one.config == GameConfig(
        **{
            key: value
            for key, value in given_arguments.items()
            if key in ("max_turns", "chapters", "edition")
        }
    ) or (given_arguments.get("config") is not None)


numbers = st.one_of(
    st.sampled_from(
        [*DECK, *map(int, DECK), 0, 18, "01", 1.0, True, None, b"1", 10**5000, np.int8(3), (1,)]
    )
)
decks = st.one_of(
    odd_values().filter(lambda value: not isinstance(value, str)),  # a string is the name of a file
    damaged_json(DECK),
    damaged_json(list(DEFAULT_DECK)),
    damaged_json(list(DEFAULT_DECK)).map(
        lambda value: tuple(value) if isinstance(value, list) else value
    ),
    st.lists(st.sampled_from(DEFAULT_DECK), max_size=20),
    st.dictionaries(numbers, st.sampled_from(DEFAULT_DECK)).map(lambda extra: {**DECK, **extra}),
    st.sets(st.sampled_from(DEFAULT_DECK)),
    st.lists(st.sampled_from(DEFAULT_DECK), min_size=17, max_size=17).map(np.array),
)


@given(decks)
def test_a_deck_is_what_is_given_or_refused(deck: Any) -> None:
    config = accepted(
        lambda: TerminusConfig(deck=deck),
        lambda: repr(deck) if not isinstance(deck, dict) else list(deck.values()),
    )
    if config is None:
        return
    assert isinstance(config.deck, tuple)
    if deck is None:
        assert config.deck == DEFAULT_DECK
    elif isinstance(deck, dict):
        assert sorted(deck.values()) == sorted(config.deck)
        assert all(
            config.deck[int(number) - 1] == eras and str(int(number)) == str(number)
            for number, eras in deck.items()
        )
    else:
        assert isinstance(deck, (list, tuple))
        assert config.deck == tuple(deck)
