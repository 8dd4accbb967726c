"""Rules for players, parsed from text that reads like a rulebook."""

from __future__ import annotations

import re

from tkm_env.game.rulebook_text import Example, RulesSection


def parse_sections(text: str) -> tuple[RulesSection, ...]:
    """The sections in a text of headings, paragraphs and examples, separated by empty lines.

    ``# Group`` is a heading above several sections; ``## name: Title``, or ``## name (need, need): Title``, begins one. An example is
    what its picture shows, followed by ``> position: action, action`` or ``> setting=value; position: action, action``.

    >>> (section,) = parse_sections('''
    ... ## goal: How to win
    ...
    ... Three in a row win.
    ...
    ... Cross wins.
    ... > xx.oo....: top right
    ... ''')
    >>> section.text, section.examples[0].actions
    (('Three in a row win.',), ('top right',))
    """
    sections: list[RulesSection] = []
    group = ""
    for block in map(str.strip, text.strip().split("\n\n")):
        words, _, play = block.partition("\n> ")
        words = " ".join(words.split())
        if heading := re.fullmatch(r"## ([\w-]+)(?: \((.*)\))?: (.*)", block):
            name, needs, title = heading.groups()
            sections.append(RulesSection(name, title, (), (), frozenset(needs.split(", ") if needs else ()), group))
        elif block.startswith("# "):
            group = block.removeprefix("# ")
        elif play:
            setting, position, actions = re.fullmatch("(?:(.*?); )?(.*?): (.*)", " ".join(play.split())).groups()  # type: ignore[union-attr]
            settings = dict([setting.split("=")]) if setting else {}
            example = Example(words, position, tuple(actions.split(", ")), settings)
            sections[-1] = sections[-1]._replace(examples=(*sections[-1].examples, example))
        else:
            sections[-1] = sections[-1]._replace(text=(*sections[-1].text, words))
    return tuple(sections)
