"""A game's rules for players: sections of words and examples, from which documents, help and pictures are made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from tkm_env.game.base import BaseGame

_NO_SETTINGS: Final[Mapping[str, Any]] = MappingProxyType({})


class Example(NamedTuple):
    """A position in which a rule shows, and what is played there.

    Attributes:
        words: the picture's caption.
        position: the text of the position.
        actions: the actions played from there, by name; the picture shows the position after the last one and marks what that did.
        settings: keywords of the game's config, where they matter.
    """

    words: str
    position: str
    actions: tuple[str, ...] = ()
    settings: Mapping[str, Any] = _NO_SETTINGS

    def played(self, game_class: type[BaseGame]) -> BaseGame:
        """The game after the actions."""
        game = game_class(position=self.position, seed=0, **self.settings)
        for action in self.actions:
            game.play(action)
        return game


class RulesSection(NamedTuple):
    """One part of the rules.

    Attributes:
        name: what it is called in links and in commands: lower case, without spaces.
        title: its heading.
        text: its paragraphs, plain text.
        examples: what pictures show.
        needs: all that must be in play for this part to matter: chapters, powers, whatever a game has; empty if it always does.
        group: the heading that several sections share, if any.
    """

    name: str
    title: str
    text: tuple[str, ...]
    examples: tuple[Example, ...] = ()
    needs: frozenset[str] = frozenset()
    group: str = ""


def applicable_sections(
    sections: Iterable[RulesSection], in_play: Collection[str], settings: Mapping[str, Any] = _NO_SETTINGS
) -> list[RulesSection]:
    """The sections whose needs are all in play, without examples under other settings.

    >>> sections = [RulesSection("a", "A", ()), RulesSection("b", "B", (), needs=frozenset("x"))]
    >>> [section.name for section in applicable_sections(sections, ())]
    ['a']
    """
    return [
        section._replace(examples=tuple(example for example in section.examples if _fits(example, settings)))
        for section in sections
        if section.needs <= {*in_play}
    ]


def _fits(example: Example, settings: Mapping[str, Any]) -> bool:
    return all(settings.get(keyword, value) == value for keyword, value in example.settings.items())
