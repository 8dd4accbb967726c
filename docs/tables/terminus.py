"""Cards, actions, observations and positions of *Terminus*."""

from __future__ import annotations

from collections.abc import Callable

from pictures import TERMINUS_MIDDLE

from tables.environments import actions, compact_example, compact_sizes
from tables.markdown import numbered, table
from tkm_env import TerminusGame
from tkm_env.games.registry import TERMINUS
from tkm_env.games.terminus.deck import DEFAULT_DECK
from tkm_env.games.terminus.engine.actions import ACTIONS, GROUPS
from tkm_env.games.terminus.engine.observation import TERMINUS_FEATURES
from tkm_env.games.terminus.notation import FIELDS

#: Settings for which the page shows the size of compact observations.
COMPACT_SIZES: dict[str, dict[str, object]] = {
    "the default deck": {},
    "that deck with all `S` blank": {
        "deck": tuple(card.replace("S", ".") for card in DEFAULT_DECK)
    },
}


def deck() -> str:
    """The default deck."""
    cards = [
        *((str(number), f"`{eras}`") for number, eras in enumerate(DEFAULT_DECK, 1)),
        ("18, then 0", "Terminus"),
    ]
    return table(("card", "eras"), cards)


def features() -> str:
    """The layout of observations."""
    rows, first = [], 0
    for feature in TERMINUS_FEATURES:
        varies = (
            ", ".join(
                f"`{letter}`" for letter in dict.fromkeys("".join(feature.varies)) if letter.strip()
            )
            or "always"
        )
        rows.append(
            (
                numbered(first, feature.length),
                feature.name,
                feature.meaning,
                f"0–{feature.high}",
                varies,
            )
        )
        first += feature.length
    return table(("numbers", "name", "what it shows", "values", "varies with"), rows)


def positions() -> str:
    """A position in full, and as red sees it."""
    game = TerminusGame(position=TERMINUS_MIDDLE)
    return f"    {game.position}\n    {game.position_for('red')}"


BLOCKS: dict[str, Callable[[], str]] = {
    "Terminus as text": lambda: f"```\n{TerminusGame(position=TERMINUS_MIDDLE)}\n```",
    "deck": deck,
    "actions of Terminus": lambda: actions(GROUPS, 6),
    "number of actions of Terminus": lambda: str(len(ACTIONS)),
    "shape of features": lambda: str(TerminusGame.observation_shape),
    "features": features,
    "compact sizes of Terminus": lambda: compact_sizes(TERMINUS, COMPACT_SIZES),
    "compact example of Terminus": lambda: compact_example(TERMINUS),
    "positions of Terminus": positions,
    "position fields of Terminus": lambda: table(("field", "meaning"), [*FIELDS.items()]),
}
