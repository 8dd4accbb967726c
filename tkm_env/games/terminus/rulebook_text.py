"""The rules for players, in this project's own words, each with positions that show it.

They are `rules.md`, parsed; `notation.md` explains the text of positions.
"""

from typing import Final

from tkm_env.core.rulebook_text import RulesSection, parse_sections, parse_terms
from tkm_env.foundations.files import packaged_text
from tkm_env.games.terminus.config import TerminusConfig
from tkm_env.games.terminus.deck import DEFAULT_DECK

#: All rules, in the order in which players meet them.
SECTIONS: Final = parse_sections(packaged_text(__package__, "rules.md"))

#: The game in three lines.
GOAL: Final = SECTIONS[0].text[:3]

#: The words of the game, each in all its forms.
TERMS: Final = parse_terms(packaged_text(__package__, "terms.txt"))


def rules_for(config: TerminusConfig | None = None) -> list[RulesSection]:
    """All sections, since all matter under any settings.

    With another deck they come without examples, whose cards are from the project's own deck.
    """
    own_deck = config is None or config.deck == DEFAULT_DECK
    return [section if own_deck else section._replace(examples=()) for section in SECTIONS]


def notation_for(config: TerminusConfig) -> tuple[RulesSection, ...]:
    """How positions, actions and the cards of this deck are written."""
    assert isinstance(config.deck, tuple)
    cards = ", ".join(f"{number} `{eras}`" for number, eras in enumerate(config.deck, 1))
    return parse_sections(packaged_text(__package__, "notation.md").replace("CARDS", cards))
