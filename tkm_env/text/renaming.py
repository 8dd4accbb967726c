"""Invented words and other letters for a game, so that remembering the game does not help."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from tkm_env.text.words import WORDS

if TYPE_CHECKING:
    from tkm_env.core.game import BaseGame

#: Without "v", an arrow in drawings.
_LETTERS: Final = string.ascii_lowercase.replace("v", "")
_CONSONANTS: Final = "bdfgklmnprstvz"
#: How invented words end, so that "s" makes their plural.
_LAST_CONSONANTS: Final = "bdfgklmnprt"
_VOWELS: Final = "aeiou"
#: Letters whose names begin with a vowel.
_SPOKEN_VOWELS: Final = frozenset("aefhilmnorsx")
#: The endings of an invented word's forms; other forms, such as "grew", end like "grow-ed".
_ENDINGS: Final = ("ing", "s")
_PAST: Final = "ed"
#: Words in the names of actions that say nothing about a game.
_PLAIN_WORDS: Final = frozenset(
    ["a", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"]
)
#: A word, and the gap after it in a table.
_WORDS: Final = re.compile(r"()([A-Za-z]+(?:-[A-Za-z]+)*)( {2,})?")
#: A word of a sentence with its article. "A" behind a word is a letter that stands for itself.
_SENTENCE_WORDS: Final = re.compile(
    r"(?:((?<![A-Za-z])an?|(?<![A-Za-z])(?<![a-z] )An?) )?([A-Za-z]+(?:-[A-Za-z]+)*)()"
)
#: A word of a drawing with its article, which stands behind another word, and the gap after it. The
#: "s" of a genitive is no word.
_DRAWN_WORDS: Final = re.compile(
    r"(?:(?<=[a-z] )(an?) (?=[a-z]{2}))?(?!(?<=')s\b)([A-Za-z]+(?:-[A-Za-z]+)*)( {2,})?"
)
#: The letters of a piece in a drawing: a single one, or up to three that begin with a capital.
_IN_DRAWINGS: Final = re.compile("[A-Z][A-Za-z]{0,2}|[a-z]")


class Renaming:
    """Other words and letters for a registered game; both follow from the seed.

    Args:
        game_class: the class of the game.
        seed: from 0 to 2**32 - 1; None changes nothing.

    Attributes:
        title: the new name of the game.
    """

    def __init__(self, game_class: type[BaseGame], seed: int | None) -> None:
        self.title = game_class.title
        self._new: dict[str, str] = {}
        self._letters: dict[int, int] = {}
        if seed is not None:
            generator = np.random.default_rng(seed)
            words = {
                word: word
                for name in game_class.action_names
                for word in re.findall("[a-z]{2,}", name)
            }
            self._new = words | dict(
                _invented([(self.title.lower(),), *_families(game_class)], generator)
            )
            self.title = self._new[self.title.lower()].capitalize()
            mixed = "".join(generator.permutation([*_LETTERS]))
            self._letters = str.maketrans(_LETTERS + _LETTERS.upper(), mixed + mixed.upper())

    def prose(self, text: str) -> str:
        """Rename words and, between backticks, letters as well."""
        parts = text.split("`")
        return "`".join(
            self.position(part)
            if number % 2
            else self._exchange(part, self._symbol, _SENTENCE_WORDS)
            for number, part in enumerate(parts)
        )

    def _symbol(self, word: str) -> str:
        """A word of a sentence that is not the game's; capitals alone are the game's letters."""
        return self._other_letters(word) if len(word) == 1 and word.isupper() else word

    def position(self, text: str) -> str:
        """Rename the text of a position, or letters taken from one."""
        return self._exchange(text, self._other_letters)

    def drawing(self, text: str) -> str:
        """Rename a drawing made of letters; columns stay aligned where there is room."""
        return self._exchange(
            text,
            lambda word: self._other_letters(word) if _IN_DRAWINGS.fullmatch(word) else word,
            _DRAWN_WORDS,
        )

    def _other_letters(self, text: str) -> str:
        return text.translate(self._letters)

    def _exchange(
        self, text: str, unknown: Callable[[str], str], words: re.Pattern[str] = _WORDS
    ) -> str:
        """The text with its words renamed; ``unknown`` renames those that are not the game's."""

        def other(found: re.Match[str]) -> str:
            article, old, gap = found.groups()
            is_article = words is _SENTENCE_WORDS and old == "A" and not article and _begins(found)
            new = old if is_article else self._word(old, unknown)
            if article and new != old:
                article = _article(article[0], new)
            before = f"{article} " if article else ""
            after = " " * max(1, len(old) + len(gap) - len(new)) if gap else ""
            return f"{before}{new}{after}"

        return words.sub(other, text) if self._new else text

    def _word(self, old: str, unknown: Callable[[str], str]) -> str:
        new = self._new.get(old.lower())
        if new is None:
            first, hyphen, rest = old.partition("-")
            return (
                f"{self._word(first, unknown)}-{self._word(rest, unknown)}"
                if hyphen
                else unknown(old)
            )
        return (
            new.upper()
            if len(old) > 1 and old.isupper()
            else new.capitalize()
            if old[0].isupper()
            else new
        )


def _begins(found: re.Match[str]) -> bool:
    """Whether no word stands right before another."""
    return not re.search("[a-z] $", found.string[max(0, found.start() - 2) : found.start()])


def _article(article: str, word: str) -> str:
    """An article, small or with a capital, as it stands before an invented word or a letter."""
    is_vowel = len(word) == 1 and word.lower() in _SPOKEN_VOWELS
    return f"{article}n" if is_vowel else article


@lru_cache(maxsize=64)
def renaming_of(game_class: type[BaseGame], seed: int | None) -> Renaming:
    """The renaming of a game by a seed.

    Args:
        game_class: the class of the game.
        seed: from 0 to 2**32 - 1; None changes nothing.

    Returns:
        The renaming, which is made once.
    """
    return Renaming(game_class, seed)


def _families(game_class: type[BaseGame]) -> list[tuple[str, ...]]:
    """The words to replace, each in all its forms.

    They are the players and the game's own terms or, if it has none, the words in its actions'
    names.
    """
    terms = WORDS.of(game_class.name).terms
    if not terms:
        words = chain.from_iterable(
            re.findall("[A-Za-z]{2,}", name) for name in game_class.action_names
        )
        terms = tuple((word,) for word in words if word not in _PLAIN_WORDS)
    named = dict.fromkeys(chain.from_iterable(terms))
    return [*((word,) for word in game_class.players if word not in named), *dict.fromkeys(terms)]


def _invented(
    families: list[tuple[str, ...]], generator: np.random.Generator
) -> Iterator[tuple[str, str]]:
    """Each form of each word in lower case with its new form; no two words share one."""
    taken = {form.lower() for forms in families for form in forms}
    for forms in families:
        endings = ["", *map(_ending, forms[1:])]
        stem = ""
        while not stem or any(stem + ending in taken for ending in endings):
            sounds = (_CONSONANTS, _VOWELS, _CONSONANTS, _VOWELS, _LAST_CONSONANTS)
            stem = "".join(str(generator.choice([*kind])) for kind in sounds)
        taken.update(stem + ending for ending in endings)
        yield from zip(
            (form.lower() for form in forms), (stem + ending for ending in endings), strict=True
        )


def _ending(form: str) -> str:
    """The ending that another form of an invented word has."""
    return next((ending for ending in _ENDINGS if form.endswith(ending)), _PAST)
