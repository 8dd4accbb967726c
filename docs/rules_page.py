"""`docs/rules.md`: the rules of both games for players, every example drawn from the position that stands below it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from pictures import Picture

from tkm_env.game.registry import GameSpec
from tkm_env.game.rulebook_text import Example, Section
from tkm_env.games.registry import TERMINUS, TKM

NOTE = "<!-- Written by `python docs/generate.py`, from `rules.py` of each game; edit those instead. -->"


def _examples(spec: GameSpec) -> Iterator[tuple[Section, Example, Picture]]:
    """Every example of a game's rules, with its picture."""
    for section in spec.rules_for():
        for number, example in enumerate(section.examples, 1):
            name = f"rules-{spec.name}-{section.name}-{number}"
            yield section, example, Picture(name, example.words, example.position, example.actions, example.settings, game=spec)


#: All of them.
RULES_PICTURES = [picture for spec in (TKM, TERMINUS) for _, _, picture in _examples(spec)]


def _shown(spec: GameSpec, example: Example, picture: Picture) -> str:
    """An example: the picture, what it shows, the position and what is played, and what that did, in the package's own words."""
    happened = [event for frame in example.played(spec.game_class).frames() for event in frame.events]
    told = f" {happened[0][0].upper()}{'; '.join(happened)[1:]}." if happened else ""
    settings = "".join(f", {keyword} {value}" for keyword, value in example.settings.items())
    played = ", ".join(f"`{action}`" for action in example.actions)
    lines = [
        f"![{example.words}](pictures/{picture.name}.svg)",
        f"*{example.words}*{told}",
        f"From `{example.position}`{settings}: {played}.",
    ]
    return "\n\n".join(lines)


def _part(spec: GameSpec, section: Section) -> str:
    """A section: heading, words, examples."""
    of_section = [_shown(spec, example, picture) for owner, example, picture in _examples(spec) if owner.name == section.name]
    return "\n\n".join([f"### {section.title}", *section.text, *of_section])


def _book(spec: GameSpec) -> str:
    """The rules of a game."""
    parts = []
    for group, sections in itertools.groupby(spec.rules_for(), key=lambda section: section.group):
        parts += [*([f"## {group}"] if group else []), *(_part(spec, section) for section in sections)]
    return "\n\n".join(parts)


def rules() -> str:
    """``docs/rules.md``."""
    return f"""{NOTE}

# The rules, for players

Every picture is drawn by the package from the position below it, after the actions beside it; arrows and marks show what the last of them did. There
are two editions of the rulebook, 2021 and 2022; the two places where they differ are named. Where the rulebooks are silent, [rulings](rulings.md)
decide. [Powers](powers.md) and [feats](campaign.md) are this project's own.

In the terminal, `help` while you play shows the part that matters in your game.

{_book(TKM)}

## Terminus, the second game

{_book(TERMINUS)}
"""
