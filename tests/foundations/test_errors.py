"""The classes form the tree of errors that the module draws, and messages are short."""

from __future__ import annotations

import pickle
import re

import pytest

import tkm_env
from tkm_env.foundations import errors
from tkm_env.foundations.errors import ConfigError, FileError, TKMError, UnknownKeywordError


def drawn() -> dict[str, set[str]]:
    """The bases of each error in the module's drawing, but for Exception and object."""
    bases: dict[str, set[str]] = {}
    above: list[str] = []
    for indent, name, other in re.findall(
        r"^    ( *)\+? ?(\w+Error)(?: \((\w+)\))?", errors.__doc__ or "", re.MULTILINE
    ):
        depth = len(indent) // 2
        above[depth:] = [name]
        bases[name] = {*above[depth - 1 : depth], *([other] if other else [])}
    return bases


def test_the_drawing_shows_every_error_below_its_bases() -> None:
    classes = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, TKMError)
    ]
    assert drawn() == {
        each.__name__: {base.__name__ for base in each.__bases__} for each in classes
    }


@pytest.mark.parametrize("name", ["DeckError", "DisplayError", *drawn()])
def test_every_error_is_public_and_derives_from_the_base(name: str) -> None:
    assert issubclass(getattr(tkm_env, name), TKMError)
    assert issubclass(getattr(tkm_env, name), ValueError)


@pytest.mark.parametrize(
    "error",
    [
        ConfigError("chapters", 5, "it must be less"),
        UnknownKeywordError.of("sede", 1, ["seed"]),
        FileError("a\x00b", "it is not there"),
        tkm_env.RecordError("actions", "ply 2: no", ply=2),
        tkm_env.PlayerError("a", "it left", "crash", starting=True),
        tkm_env.DeckError(3, "it is missing", "deck.json"),
        tkm_env.DisplayError("there is none"),
        tkm_env.ConcurrentUseError("Game"),
        tkm_env.MissingExtraError("torch", "train"),
    ],
)
def test_a_pickled_error_says_the_same(error: TKMError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_an_unknown_keyword_that_looks_like_a_known_one_is_guessed() -> None:
    error = UnknownKeywordError.of("sede", 1, ["chapters", "seed"])
    assert str(error) == (
        "sede=1 is invalid: there is no such keyword; valid keywords: chapters, seed; did you "
        "mean 'seed'? (unexpected keyword argument 'sede')"
    )
    assert isinstance(error, TypeError)
