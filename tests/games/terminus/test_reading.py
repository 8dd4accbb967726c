"""The engine agrees, position by position, with a second reading of the rules.

The two share no line of code.
"""

from __future__ import annotations

import pytest

from tests.games.terminus.games import DECKS, PLAYERS, fields_of, generator_of, random_action
from tests.games.terminus.reading import TERMINUS, Reading
from tkm_env import TerminusGame


def card(name: str) -> object:
    return TERMINUS if name.startswith("T") else int(name.removesuffix("*"))


def name_of(of: object) -> str:
    return "T" if of == TERMINUS else str(of)


def listed(names: str) -> list[object]:
    return [] if names == "-" else [card(name) for name in names.split(",")]


def read(game: TerminusGame) -> Reading:
    """The other reading of a game that has just begun."""
    fields = fields_of(game.position)
    hands = dict(zip(PLAYERS, map(listed, fields["hands"].split("/")), strict=True))
    return Reading(dict(enumerate(game.config.deck, 1)), hands, listed(fields["deck"])[::-1])


def describe(reading: Reading) -> dict[str, str]:
    """What the other reading says about the position.

    It is given chance and the order of the deck.
    """
    runs: list[str] = []
    before = None
    for owner, era in zip(reading.owners(), reading.visible(), strict=True):
        if owner != before:
            runs.append(f"{name_of(owner)}:")
        runs[-1] += era
        before = owner
    hands = [
        ",".join(name_of(each) + "*" * (each in reading.frozen) for each in reading.hand(player))
        or "-"
        for player in PLAYERS
    ]
    fresh = {
        player: [each for each in cards if reading.wholly_visible(each)]
        for player, cards in reading.last_turn.items()
    }
    if not reading.winner and not reading.resolving:
        fresh[reading.to_act] = []  # their last turn is over, and covers nobody's any more
    step = "".join(sorted(reading.left_to_resolve, key="GFS".index)) if reading.resolving else "p"
    return {
        "timeline": "|".join(runs),
        "to act": reading.to_act[0],
        "step": {None: step, "red": "1-0", "blue": "0-1"}[reading.winner],
        "hands": "/".join(hands),
        "deck": ",".join(map(name_of, reading.deck[::-1])) or "-",
        "fresh": "/".join(
            ",".join(map(name_of, sorted(fresh[player]))) or "-" for player in PLAYERS
        ),
        "turn": str(reading.turn),
    }


@pytest.mark.parametrize("deck", DECKS)
def test_the_engine_agrees_with_a_second_reading(deck: str, pytestconfig: pytest.Config) -> None:
    generator = generator_of("reading", deck)
    seen = set()
    for seed in range(max(10, pytestconfig.getoption("games") // 5)):
        game = TerminusGame(seed=seed, deck=DECKS[deck])
        reading = read(game)

        def order_of(cards: list[object], game: TerminusGame = game) -> list[object]:
            """As the engine shuffled; what it has drawn since lay on top."""
            deck = listed(fields_of(game.position)["deck"])[::-1]
            return deck + [each for each in cards if each not in deck]

        reading.shuffled = order_of
        while True:
            fields = fields_of(game.position)
            del fields["chance"]
            assert describe(reading) == fields, (
                f"seed {seed}, after {[game.action_names[action] for action in game.history]}"
            )
            assert reading.legal() == set(game.legal_names()), f"seed {seed} at {game.position}"
            if game.result is not None:
                break
            action = random_action(game, generator)
            game.play(action)
            name = game.action_names[action]
            reading.play(name)
            seen.add(name.split(" ")[0])
    assert seen >= (
        {"play"} if deck in ("fixed", "late") else {"play", "grow", "freeze", "swap", "done"}
    )
