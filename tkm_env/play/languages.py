"""The languages of the page: English, and one for each catalogue in ``catalogues``.

A catalogue is a file of gettext. Its keys are the templates of messages, of which answers are made;
the page's own words are entries of the context ``page``. Reading one needs the extra ``[play]``.
"""

import functools
import gettext
import io
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.errors import extra
from tkm_env.foundations.message import Message

ENGLISH: Final = "en"
CATALOGUES: Traversable = files("tkm_env.play") / "catalogues"
_SUFFIX: Final = ".po"
#: The context of the page's own words.
PAGE: Final = "page"


def languages() -> tuple[str, ...]:
    """Return the codes of all languages, English first."""
    names = [path.name for path in CATALOGUES.iterdir() if path.name.endswith(_SUFFIX)]
    return (ENGLISH, *sorted(name.removesuffix(_SUFFIX) for name in names))


def best_language(accepted: Any) -> str:
    """Return the language for a reader, given Flask's ``request.accept_languages``."""
    best: str = accepted.best_match(languages(), ENGLISH)
    return best


def in_language(content: Any, language: str) -> Any:
    """Say something in a language.

    Args:
        content: JSON types, with messages in them.
        language: one of `languages`.

    Returns:
        The same, with each message in that language.

    >>> in_language({"name": "white", "called": Message("white")}, "es")
    {'name': 'white', 'called': 'blanco'}
    """
    return content if language == ENGLISH else _said(content, _catalogue(language))


def _said(content: Any, catalogue: gettext.NullTranslations) -> Any:
    if isinstance(content, Message):
        return _words_of(content, catalogue)
    if isinstance(content, Mapping):
        return {key: _said(value, catalogue) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_said(part, catalogue) for part in content]
    return content


def _words_of(message: Message, catalogue: gettext.NullTranslations) -> str:
    template, plural, filling = message.template, message.plural, message.filling
    if not template:  # which is the key of the catalogue's header
        return ""
    form = (
        catalogue.ngettext(template, plural, filling["count"])
        if plural
        else catalogue.gettext(template)
    )
    # Names, such as those of players and eras, are often plain strings.
    filled = {
        name: _words_of(Message(value), catalogue) if isinstance(value, str) else value
        for name, value in filling.items()
    }
    return message.said(form.format(**filled) if filled else form)


def page_words(language: str) -> dict[str, str | list[str]]:
    """Return the page's own words in a language, by their English.

    Args:
        language: one of `languages`.

    Returns:
        The words; a list where they depend on a number, with a form for each kind of numbers.

    Raises:
        ConfigError: if there is no such language.
    """
    if checked_choice("language", language, languages()) == ENGLISH:
        return {}
    return {
        entry.msgid: [*entry.msgstr_plural.values()] if entry.msgid_plural else entry.msgstr
        for entry in _entries(language)
        if entry.msgctxt == PAGE
    }


@functools.cache
def _entries(language: str) -> Any:
    with extra("play"):
        import polib
    return polib.pofile((CATALOGUES / f"{language}{_SUFFIX}").read_text("utf-8"))


@functools.cache
def _catalogue(language: str) -> gettext.NullTranslations:
    return gettext.GNUTranslations(io.BytesIO(_entries(language).to_binary()))
