"""What a prompt for a language model holds, and in which words."""

from __future__ import annotations

import dataclasses
from typing import Final

from tkm_env.foundations.checks import checked_choice, checked_instance, checked_integer
from tkm_env.foundations.errors import ConfigError

LISTED, GROUPED, COUNTED, LEFT_OUT = LEGAL = ("listed", "grouped", "counted", "none")
NO_HISTORY, LAST_TURN, ALL_TURNS = HISTORY = ("none", "last", "all")
ENGLISH, TERSE = STYLES = ("english", "terse")
TEXT, PICTURE, BOTH = BOARDS = ("text", "picture", "both")

#: The options that are seeds of another way to tell the same.
SEEDS: Final = ("rename", "turned", "eras", "layout", "numbers")
#: The values that other options may have.
_CHOICES: Final = {"legal": LEGAL, "history": HISTORY, "style": STYLES, "board": BOARDS}
_MOST_SEEDS: Final = 2**32


@dataclasses.dataclass(frozen=True)
class TextOptions:
    """What a prompt holds.

    Together with the settings and the position, the options determine every character of it.

    Attributes:
        legal: the legal turns: ``"listed"`` with numbers that can be answered; ``"grouped"``, the
            same list in fewer tokens, in which turns that differ in their last action share a
            heading; ``"counted"``; or ``"none"`` to leave them out.
        history: what was played: ``"last"`` since the player's last turn; ``"all"`` from the start;
            or ``"none"``.
        style: ``"english"`` for sentences, examples in the rules, and a drawing made of letters; or
            ``"terse"`` for the same facts without them.
        rename: the seed, from 0 to 2**32 - 1, of invented words and other letters for the game, so
            that remembering the game does not help; None for its own words.
        turned: the seed, likewise, of a symmetry of the board under which positions and turns are
            told, so that remembering positions and openings does not help; None to tell them as
            they are. It changes nothing in a game without such symmetries.
        eras: the seed, likewise, of another order in which positions list the eras; None for the
            order in time.
        layout: the seed, likewise, of another form of the text of positions: the order of its
            fields, of the spaces in a board, and its signs; None for the usual form.
        numbers: the seed, likewise, of other numbers of the spaces, in the names of actions and
            wherever else a space is named; None for the usual ones. This option and the two before
            it change nothing in a game that is told in one form only.
        board: how the position is told: as ``"text"``; by a ``"picture"``, for models that see; or
            by ``"both"``. A picture has the game's own eras and no words, so ``rename`` and
            ``eras`` do not go with it.

    Raises:
        ConfigError: naming the option that has an invalid value.

    >>> TextOptions(legal="listed").history
    'last'
    """

    legal: str = LISTED
    history: str = LAST_TURN
    style: str = ENGLISH
    rename: int | None = None
    turned: int | None = None
    eras: int | None = None
    layout: int | None = None
    numbers: int | None = None
    board: str = TEXT

    def __post_init__(self) -> None:
        for keyword, allowed in _CHOICES.items():
            checked_choice(keyword, getattr(self, keyword), allowed)
        for keyword in SEEDS:
            if (seed := getattr(self, keyword)) is not None:
                checked = checked_integer(keyword, seed, 0, _MOST_SEEDS - 1)
                object.__setattr__(self, keyword, checked)
        if self.has_picture and (self.rename, self.eras) != (None, None):
            reason = "a picture shows the game's own eras: without rename and eras only"
            raise ConfigError("board", self.board, reason)

    @property
    def has_picture(self) -> bool:
        """Whether a picture of the position belongs to the prompt."""
        return self.board != TEXT

    @property
    def lists_turns(self) -> bool:
        """Whether the legal turns have numbers that can be answered."""
        return self.legal in (LISTED, GROUPED)


#: Legal turns listed, what was played since the player's last turn, in English, in the game's own
#: words.
DEFAULT_OPTIONS: Final = TextOptions()


def without_picture(options: TextOptions) -> TextOptions:
    """Check options of what gives text only.

    Raises:
        ConfigError: if these are no options, or they ask for a picture.
    """
    if checked_instance("options", options, TextOptions).has_picture:
        raise ConfigError("options", options, "pictures are for players and benchmarks only")
    return options
