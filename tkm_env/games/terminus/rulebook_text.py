"""The rules for players, in this project's own words, each with positions that show it: `rules.md`, parsed."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from tkm_env.game.rulebook_text import RulesSection, parse_sections
from tkm_env.games.terminus.config import TerminusConfig

#: All rules, in the order in which players meet them.
SECTIONS: Final = parse_sections((files(__package__) / "rules.md").read_text("utf-8"))

#: The game in three lines.
GOAL: Final = SECTIONS[0].text[:3]


def rules_for(config: TerminusConfig | None = None) -> list[RulesSection]:
    """The sections that can matter in games under these settings: all of them, in the order of `SECTIONS`.

    >>> [section.name for section in rules_for()]
    ['goal', 'playing', 'terminus', 'grow', 'freeze', 'swap', 'drawing']
    """
    return list(SECTIONS)
