"""The rules of both games for players, each example drawn from the position below it."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from pictures import Picture, rules_pictures

from tkm_env.game.registry import GameSpec
from tkm_env.game.rulebook_text import Example
from tkm_env.games.registry import TERMINUS, TKM


def _example(spec: GameSpec, example: Example, picture: Picture) -> str:
    """An example: the picture, its caption with the effects of the actions, the position and the actions."""
    events = [event for frame in example.played(spec.game_class).frames() for event in frame.events]
    effects = f" {events[0][0].upper()}{'; '.join(events)[1:]}." if events else ""
    settings = "".join(f", {keyword} {value}" for keyword, value in example.settings.items())
    actions = ", ".join(f"`{action}`" for action in example.actions)
    lines = [
        f"![{example.words}](pictures/{picture.name}.svg)",
        f"*{example.words}*{effects}",
        f"From `{example.position}`{settings}: {actions}.",
    ]
    return "\n\n".join(lines)


def rules(spec: GameSpec) -> str:
    """The rules of a game."""
    pictures = iter(rules_pictures(spec))
    parts = []
    for group, sections in itertools.groupby(spec.rules_for(), key=lambda section: section.group):
        parts += [f"## {group}"] if group else []
        for section in sections:
            examples = [_example(spec, example, next(pictures)) for example in section.examples]
            parts += [f"### {section.title}", *section.text, *examples]
    return "\n\n".join(parts)


BLOCKS: dict[str, Callable[[], str]] = {"rules": lambda: rules(TKM), "rules of Terminus": lambda: rules(TERMINUS)}
