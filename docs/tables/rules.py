"""The rules of both games for players.

Each example is drawn from the position that is folded below it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

from pictures import Picture, rules_pictures

from tables.markdown import table
from tkm_env.core.rulebook_text import Example, RulesSection
from tkm_env.games.registry import TERMINUS, TKM

#: A part with more sections than these has two pages.
_LONG = 10
NOTE = "<!-- Written by `python docs/generate.py` from the game's `rules.md`. -->"


def _example(example: Example, picture: Picture) -> str:
    """An example: the picture, and its caption with the effects of the actions.

    The position and the actions are folded.
    """
    events = [
        event
        for frame in example.played(picture.game.game_class).replay().frames
        for event in frame.events
    ]
    effects = f" {events[0][0].upper()}{'; '.join(events)[1:]}." if events else ""
    settings = "".join(f", {keyword} {value}" for keyword, value in example.settings.items())
    actions = ", ".join(f"`{action}`" for action in example.actions)
    lines = [
        f"![{example.words}](../pictures/{picture.name}.svg)",
        f"*{example.words}*{effects}",
        "<details><summary>The position and the actions</summary>",
        f"From `{example.position}`{settings}: {actions}.",
        "</details>",
    ]
    return "\n\n".join(lines)


def _pages() -> Iterator[tuple[str, str, list[tuple[RulesSection, list[Picture]]]]]:
    """The parts of the rules, each with a page of its own.

    Yields:
        The name of the page, its title, and its sections with their pictures.
    """
    for spec in (TKM, TERMINUS):
        pictures = iter(rules_pictures(spec))
        for group, sections in itertools.groupby(
            spec.rules_for(), key=lambda section: section.group
        ):
            title = group or "Terminus, the second game"
            name = re.split(r": |The ", title)[-1].split()[0].strip(",").lower()
            shown = [
                (section, list(itertools.islice(pictures, len(section.examples))))
                for section in sections
            ]
            half = (len(shown) + 1) // 2 if len(shown) > _LONG else len(shown)
            yield name, title, shown[:half]
            if shown[half:]:
                yield f"more-{name}", f"More {title.lower()}", shown[half:]


def _within_a_sentence(title: str) -> str:
    """A title with a small first letter, unless it begins with a name."""
    return re.sub("^(The|More|Powers)", lambda word: word[0].lower(), title)


def pages() -> dict[str, str]:
    """The pages of the rules by file."""
    written = {}
    for name, title, sections in _pages():
        parts = [
            NOTE,
            f"# Rules of {_within_a_sentence(title.rpartition(': ')[2].partition(',')[0])}",
        ]
        for section, pictures in sections:
            examples = [
                _example(example, picture)
                for example, picture in zip(section.examples, pictures, strict=True)
            ]
            parts += [f"## {section.title}", *section.text, *examples]
        written[f"rules/{name}.md"] = "\n\n".join(parts) + "\n"
    return written


def contents() -> str:
    """The parts of the rules, with the first picture of each."""
    rows = []
    for name, title, sections in _pages():
        section, picture = next(
            (section, pictures[0]) for section, pictures in sections if pictures
        )
        shown = f"![{section.examples[0].words}](pictures/{picture.name}.svg)"
        rows.append(
            (
                shown,
                f"[{title}](rules/{name}.md)",
                "; ".join(section.title for section, _ in sections),
            )
        )
    return table(("example", "page", "what it explains"), rows)


BLOCKS: dict[str, Callable[[], str]] = {"rules": contents}
