"""Texts for people: English, with what it takes to say the same in another language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Message(str):
    """English words that keep what they were made of.

    A message is a str: the words. A catalogue of another language has its template.

    Args:
        template: the words, with the names of what is filled in between braces.
        plural: the template for any ``count`` but 1; empty if there is no count.
        **filling: what is filled in, by name. Strings in it may be messages, too.

    >>> message = Message("{count} copy left", "{count} copies left", count=2)
    >>> message, message.template, message.filling
    ('2 copies left', '{count} copy left', {'count': 2})
    """

    template: str
    plural: str
    filling: dict[str, Any]

    def __new__(cls, template: str, plural: str = "", /, **filling: Any) -> Message:
        if isinstance(template, Message):
            return template
        form = plural if plural and filling["count"] != 1 else template
        message = super().__new__(cls, form.format(**filling) if filling else form)
        message.template, message.plural, message.filling = template, plural, filling
        return message

    def __str__(self) -> Message:
        return self

    def said(self, words: str) -> str:
        """Return what says the message, given its words in a language: here, the words."""
        return words

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.template, self.plural, self.filling)


def _again(template: str, plural: str, filling: dict[str, Any]) -> Message:
    return Message(template, plural, **filling)


def joined(separator: str, texts: Iterable[str]) -> Message:
    """Join texts like `str.join`, so that each remains a message.

    Args:
        separator: what stands between them: no word, which would have to be translated.
        texts: the texts.

    Returns:
        The whole.

    >>> joined("; ", [Message("a"), "b"]).filling
    {'text0': 'a', 'text1': 'b'}
    """
    filling = {f"text{number}": text for number, text in enumerate(texts)}
    return Message(separator.join(f"{{{name}}}" for name in filling), **filling)
