"""A game's rules for players: sections of words and examples, from which documents, help and pictures are made."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, TypeVar

_NO_SETTINGS: Final[Mapping[str, Any]] = MappingProxyType({})


class _Game(Protocol):
    def play(self, action: str, /) -> None: ...


Played = TypeVar("Played", bound=_Game)


class Example(NamedTuple):
    """A position in which a rule shows, and what is played there."""

    words: str  # the picture's caption
    position: str  # the text of the position
    #: The actions played from there, by name; the picture shows the position after the last one and marks what that did.
    actions: tuple[str, ...] = ()
    settings: Mapping[str, Any] = _NO_SETTINGS  # keywords of the game's config, where they matter

    def played(self, game_class: Callable[..., Played]) -> Played:
        """A game of that class, after the actions."""
        game = game_class(position=self.position, seed=0, **self.settings)
        for action in self.actions:
            game.play(action)
        return game


class RulesSection(NamedTuple):
    """One part of the rules."""

    name: str  # what it is called in links and in commands: lower case, without spaces
    title: str  # its heading
    text: tuple[str, ...]  # its paragraphs, plain text
    examples: tuple[Example, ...] = ()  # what pictures show
    #: All that must be in play for this part to matter: chapters, powers, whatever a game has; empty if it always does.
    needs: frozenset[str] = frozenset()
    group: str = ""  # the heading that several sections share, if any


def parse_sections(text: str) -> tuple[RulesSection, ...]:
    """The sections in a text of headings, paragraphs and examples, separated by empty lines.

    ``# Group`` is a heading above several sections; ``## name: Title``, or ``## name (need, need): Title``, begins one. An example is what
    its picture shows, followed by ``> position: action, action`` or ``> setting=value; position: action, action``.
    """
    sections: list[RulesSection] = []
    group = ""
    for block in map(str.strip, text.strip().split("\n\n")):
        words, _, play = block.partition("\n> ")
        words = " ".join(words.split())
        if heading := re.fullmatch(r"## ([\w-]+)(?: \((.*)\))?: (.*)", block):
            name, needs, title = heading.groups()
            sections.append(
                RulesSection(
                    name, title, (), (), frozenset(needs.split(", ") if needs else ()), group
                )
            )
        elif block.startswith("# "):
            group = block.removeprefix("# ")
        elif play:
            setting, position, actions = re.fullmatch(
                "(?:(.*?); )?(.*?): (.*)", " ".join(play.split())
            ).groups()  # type: ignore[union-attr]
            settings = dict([setting.split("=")]) if setting else {}
            example = Example(words, position, tuple(actions.split(", ")), settings)
            sections[-1] = sections[-1]._replace(examples=(*sections[-1].examples, example))
        else:
            sections[-1] = sections[-1]._replace(text=(*sections[-1].text, words))
    return tuple(sections)


def parse_terms(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of a game in a text with a line for each word, which lists its forms; see `tkm_env.text.words.GameWords.terms`."""
    return tuple(tuple(line.split()) for line in text.splitlines())


def applicable_sections(
    sections: Iterable[RulesSection],
    in_play: Collection[str],
    settings: Mapping[str, Any] = _NO_SETTINGS,
) -> list[RulesSection]:
    """The sections whose needs are all in play, without examples under other settings."""

    def fits(example: Example) -> bool:
        return all(
            settings.get(keyword, value) == value for keyword, value in example.settings.items()
        )

    applicable = (section for section in sections if section.needs <= {*in_play})
    return [
        section._replace(examples=tuple(filter(fits, section.examples))) for section in applicable
    ]
