"""What a player sees of Terminus: the table, what is hidden, the two sides."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games.terminus.games import DECKS, PLAYERS, fields_of, generator_of, random_action
from tkm_env import TerminusGame
from tkm_env.games.terminus.engine.observation import NUM_FEATURES, TERMINUS_FEATURES

LETTERS = {
    "empty": ".", "my victory": "M", "their victory": "O", "grow": "G", "freeze": "F", "swap": "S",
    "terminus approaches": "A", "impetus": "I", "Terminus": "T",
}  # fmt: skip


def named(observation: np.ndarray) -> dict[str, np.ndarray]:
    """The numbers of an observation by the names of the table."""
    ends = np.cumsum([feature.length for feature in TERMINUS_FEATURES])
    return {
        feature.name: part
        for feature, part in zip(TERMINUS_FEATURES, np.split(observation, ends[:-1]), strict=True)
    }


def eras_of(columns: np.ndarray) -> str:
    """Letters of eras from one row for each kind; '' where there is none."""
    assert (columns.sum(0) <= 1).all(), "an era is of one kind"
    return "".join(list(LETTERS.values())[kind] for kind in columns.argmax(0)[columns.any(0)])


def expected(game: TerminusGame, player: str) -> dict[str, object]:
    """What the text of the position says, from one player's side."""
    fields = fields_of(game.position_for(player))
    me = PLAYERS.index(player)
    sides = str.maketrans("RB", "MO" if me == 0 else "OM")
    runs = [run.split(":") for run in fields["timeline"].split("|")]
    cards = [number for number, eras in runs for _ in eras]
    hands, fresh = fields["hands"].split("/"), fields["fresh"].split("/")
    approached = sum(eras.count("A") for number, eras in runs if number != "1")
    features: dict[str, object] = {
        "timeline": "".join(eras for _, eras in runs).translate(sides),
        "card": [0 if number == "T" else int(number) for number in cards],
        "red": me == 0,
        "to act": fields["to act"] == "rb"[me] and "-" not in fields["step"],
        "play": fields["step"] == "p",
        "resolve": fields["step"].isalpha() and fields["step"] != "p",
        "approached": approached,
        "deck": int(fields["deck"][1:]),
        "Terminus in the deck": approached >= 2 and "T" not in fields["timeline"] + fields["hands"],
    }
    features |= {f"{LETTERS_NAMES[letter]} left": fields["step"].count(letter) for letter in "GFS"}
    for side, who in (("my", me), ("their", 1 - me)):
        names = [] if hands[who] == "-" else hands[who].split(",")
        marked = fresh[who].split(",")
        features[f"{side} fresh"] = [number in marked for number in cards]
        for rank, name in zip(
            ("first", "second", "third"), [*names, None, None, None], strict=False
        ):
            number = (name or "").removesuffix("*")
            eras = (
                ""
                if name is None
                else "TTT"
                if number == "T"
                else game.config.deck[int(number) - 1].translate(sides)
            )
            value = (
                0
                if name is None
                else (18 if approached < 3 else 0)
                if number == "T"
                else int(number)
            )
            features[f"{side} {rank}"] = (
                name is not None,
                value,
                name is not None and name.endswith("*"),
                eras,
            )
    return features


LETTERS_NAMES = {letter: name for name, letter in LETTERS.items()}


def seen(observation: np.ndarray) -> dict[str, object]:
    """The same from the observation."""
    parts = named(observation)
    timeline = np.stack([parts[name] for name in LETTERS])
    length = int(timeline.any(0).sum())
    assert timeline[:, :length].any(0).all(), "the timeline begins at the first column"
    features: dict[str, object] = {
        "timeline": eras_of(timeline),
        "card": parts["card"][:length].tolist(),
    }
    assert not parts["card"][length:].any()
    for side in ("my", "their"):
        features[f"{side} fresh"] = parts[f"{side} fresh"][:length].astype(bool).tolist()
        for rank in ("first", "second", "third"):
            eras = eras_of(parts[f"{side} {rank} eras"].reshape(3, len(LETTERS)).T)
            values = (parts[f"{side} {rank}{what}"][0] for what in ("", " number", " frozen"))
            there, number, frozen = values
            features[f"{side} {rank}"] = (bool(there), int(number), bool(frozen), eras)
    for name in (
        "red",
        "to act",
        "play",
        "resolve",
        "grow left",
        "freeze left",
        "swap left",
        "approached",
        "deck",
        "Terminus in the deck",
    ):
        features[name] = int(parts[name][0])
    return features


@pytest.mark.parametrize("deck", DECKS)
def test_an_observation_shows_what_the_rules_say_is_seen(deck: str) -> None:
    generator = generator_of("observation", deck)
    for seed in range(6):
        game = TerminusGame(seed=seed, deck=DECKS[deck])
        while True:
            for player in PLAYERS:
                features, right = seen(game.observation(player)), expected(game, player)
                assert features == right, (
                    f"{[name for name in right if features[name] != right[name]]} at "
                    f"{game.position} for {player}"
                )
            if game.result is not None:
                break
            game.play(random_action(game, generator))


@pytest.mark.parametrize("deck", DECKS)
def test_an_observation_does_not_depend_on_what_is_hidden(deck: str) -> None:
    generator = generator_of("hidden", deck)
    reordered = 0
    for seed in range(6):
        game = TerminusGame(seed=seed, deck=DECKS[deck])
        while game.result is None:
            twin = game.determinize(generator)
            assert twin.position_for("red") == game.position_for("red")
            assert game.determinize(np.random.default_rng(1)) == twin.determinize(
                np.random.default_rng(1)
            )
            one, other = (
                sorted(fields_of(each.position)["deck"].split(",")) for each in (game, twin)
            )
            assert one == other, "a player with a memory knows which cards the deck holds"
            for player in PLAYERS:
                assert (twin.observation(player) == game.observation(player)).all()
            assert (twin.action_mask() == game.action_mask()).all()
            reordered += twin.position != game.position
            game.play(random_action(game, generator))
    assert reordered > 30


def test_shuffling_what_is_hidden_gives_every_order() -> None:
    game = TerminusGame(position="1:.I. r p 2,9,13/3,5,16 6,11,17 -/- 1 00000000000000ff")
    generator = np.random.default_rng(3)
    orders = [fields_of(game.determinize(generator).position)["deck"] for _ in range(1200)]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 6
    assert min(counts) > 140, counts
    assert game.determinize(np.random.default_rng(1)) == game.determinize(np.random.default_rng(1))


def test_red_and_blue_see_the_same_with_colours_changed() -> None:
    """Blue sees a game with the twin deck, hands exchanged, as red sees the first game.

    Only the colour itself differs.
    """
    generator = generator_of("colours")
    for seed in range(6):
        game = TerminusGame(seed=seed)
        fields = fields_of(game.position)
        fields["to act"] = {"r": "b", "b": "r"}[fields["to act"]]
        fields["hands"] = "/".join(reversed(fields["hands"].split("/")))
        twin = TerminusGame(position=" ".join(fields.values()), deck=DECKS["swapped"])
        while True:
            for player, other in (PLAYERS, PLAYERS[::-1]):
                one, two = named(game.observation(player)), named(twin.observation(other))
                assert [name for name in one if (one[name] != two[name]).any()] == ["red"]
            assert (game.action_mask() == twin.action_mask()).all()
            if game.result is not None:
                break
            action = random_action(game, generator)
            game.play(action)
            twin.play(action)
        assert {game.result, twin.result} == {"1-0", "0-1"}


def test_names_are_given_once() -> None:
    assert len({feature.name for feature in TERMINUS_FEATURES}) == len(TERMINUS_FEATURES)
    assert sum(feature.length for feature in TERMINUS_FEATURES) == NUM_FEATURES == 838
