"""The rules for players, in this project's own words, with positions that show them.

They are `rules.md` and `notation.md`, parsed.
"""

import itertools
from typing import Any, Final

from tkm_env.core.rulebook_text import (
    RulesSection,
    applicable_sections,
    parse_sections,
    parse_terms,
)
from tkm_env.foundations.files import packaged_text
from tkm_env.foundations.message import Message
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.config_values import CONVERGENCE
from tkm_env.games.tkm.engine.powers import POWERS, effects_of
from tkm_env.games.tkm.engine.state import CHAPTERS, EDITIONS, NO_POWER

#: The name of what is in play in a game that begins with a draft.
TIMELINE: Final = "timeline"
#: The name of what is in play in a game with any power.
POWERS_AT_ALL: Final = "powers"

_SET_OF: Final = {power.name: power.set for power in POWERS}


def _with_effect(section: RulesSection, *effects: str) -> RulesSection:
    """The section of a power with these texts; any other as it is."""
    return (
        section._replace(
            text=(*effects, Message("Set: {power_set}.", power_set=_SET_OF[section.name]))
        )
        if section.name in _SET_OF
        else section
    )


#: All rules, in the order in which players meet them; a power has both texts, if there are two.
SECTIONS: Final = tuple(
    _with_effect(
        section,
        *(
            Message("Second text: {text}", text=text) if number else text
            for number, text in enumerate(effects_of(section.name))
        ),
    )
    for section in parse_sections(packaged_text(__package__, "rules.md"))
)

#: How positions and actions are written.
NOTATION: Final = parse_sections(packaged_text(__package__, "notation.md"))

#: The game in three lines.
GOAL: Final = SECTIONS[0].text[:3]

#: The words of the game, each in all its forms.
TERMS: Final = parse_terms(packaged_text(__package__, "terms.txt"))


def rules_for(config: GameConfig | None = None) -> list[RulesSection]:
    """The sections that can matter under settings, in the order of `SECTIONS`; all for None."""
    return list(SECTIONS) if config is None else sections_for(config, _in_play(config))


def notation_for(config: GameConfig) -> list[RulesSection]:
    """The sections of `NOTATION` that can matter in games under these settings."""
    return applicable_sections(NOTATION, _in_play(config))


def _in_play(config: GameConfig) -> set[str]:
    """All that can be in play in games under these settings."""
    in_play = {*itertools.chain.from_iterable(map(in_play_at, config.starts()[0]))}
    return in_play | {CONVERGENCE} if config.chapters == CONVERGENCE else in_play


def sections_for(config: GameConfig, in_play: set[str]) -> list[RulesSection]:
    """The sections about what is in play, with the texts that hold under some settings.

    Args:
        config: the settings.
        in_play: what is in play, as `in_play_at` names it.

    Returns:
        The sections, in the order of `SECTIONS`.
    """
    sections = (
        _with_effect(section, *effects_of(section.name)[: config.power_texts][-1:])
        for section in SECTIONS
    )
    return applicable_sections(
        sections, in_play, {"edition": config.edition, "power_texts": str(config.power_texts)}
    )


def in_play_at(state: Any) -> set[str]:
    """What is in play in a record of the engine's dtype.

    It names chapters, edition, powers, those to draft from, and what the settings allow.
    """
    chapters = {name for bit, name in enumerate(CHAPTERS) if state["chapters"] >> bit & 1}
    revealed = {
        POWERS[power].name for power in (*state["power"], *state["revealed"]) if power != NO_POWER
    }
    allowed = {
        TIMELINE: (state["revealed"] != NO_POWER).any(),
        POWERS_AT_ALL: len(revealed) > 0,
        "concede": state["concede"],
        "draws": state["draws"],
        EDITIONS[state["edition"]]: True,
    }
    return chapters | revealed | {name for name, is_so in allowed.items() if is_so}
