"""A game's rules for players, in sections of text and examples.

Documents, help and pictures are made from them.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, TypeVar

_NO_SETTINGS: Final[Mapping[str, Any]] = MappingProxyType({})


class _Game(Protocol):
    def play(self, action: str, /) -> None: ...


Played = TypeVar("Played", bound=_Game)


class Example(NamedTuple):
    """A position in which a rule shows, and what is played there.

    Attributes:
        words: the picture's caption.
        position: the text of the position.
        actions: the names of the actions played from there; the picture shows the position after
            the last one and marks what it did.
        settings: keywords of the game's config, where they matter.
    """

    words: str
    position: str
    actions: tuple[str, ...] = ()
    settings: Mapping[str, Any] = _NO_SETTINGS

    def played(self, game_class: Callable[..., Played]) -> Played:
        """A game of the given class, after the actions."""
        game = game_class(position=self.position, seed=0, **self.settings)
        for action in self.actions:
            game.play(action)
        return game


class RulesSection(NamedTuple):
    """One part of the rules.

    Attributes:
        name: what links and commands call it: lower case, without spaces.
        title: its heading.
        text: its paragraphs, in plain text.
        examples: what pictures show.
        needs: everything that must be in play for this part to matter, such as chapters and powers;
            empty if it always matters.
        group: the heading that several sections share, if any.
    """

    name: str
    title: str
    text: tuple[str, ...]
    examples: tuple[Example, ...] = ()
    needs: frozenset[str] = frozenset()
    group: str = ""


def parse_sections(text: str) -> tuple[RulesSection, ...]:
    """Read sections from headings, paragraphs and examples.

    These are separated by empty lines. ``# Group`` is a heading above several sections.
    ``## name: Title`` or ``## name (need, need): Title`` begins a section. An example is the
    caption of its picture, followed by ``> position: action, action`` or by
    ``> setting=value; position: action, action``.
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
    """Read the words of a game: a line for each word, with its forms.

    See `tkm_env.text.words.GameWords.terms`.
    """
    return tuple(tuple(line.split()) for line in text.splitlines())


def applicable_sections(
    sections: Iterable[RulesSection],
    in_play: Collection[str],
    settings: Mapping[str, Any] = _NO_SETTINGS,
) -> list[RulesSection]:
    """The sections that matter in a game.

    Args:
        sections: the sections to choose from.
        in_play: what is in play, such as chapters and powers, as the sections' ``needs`` name it.
        settings: the settings that differ from the defaults; examples under other settings are left
            out.

    Returns:
        The sections whose needs are all in play, in the same order.
    """

    def fits(example: Example) -> bool:
        return all(
            settings.get(keyword, value) == value for keyword, value in example.settings.items()
        )

    applicable = (section for section in sections if section.needs <= {*in_play})
    return [
        section._replace(examples=tuple(filter(fits, section.examples))) for section in applicable
    ]
