"""Pseudonyms under which the students of a class see each other's submissions."""

import itertools
from collections.abc import Iterable
from typing import Final

from tkm_env.foundations.seeds import derived

_COLOURS: Final = (
    *("amber", "azure", "black", "blue", "bronze", "coral", "copper", "crimson"),
    *("golden", "green", "grey", "indigo", "ivory", "jade", "lilac", "ochre"),
    *("olive", "pearl", "purple", "ruby", "scarlet", "silver", "violet", "white"),
)
_ANIMALS: Final = (
    *("badger", "beaver", "crane", "dolphin", "eagle", "elephant", "falcon", "ferret"),
    *("finch", "fox", "gazelle", "gecko", "heron", "ibex", "jackdaw", "lynx"),
    *("magpie", "marten", "otter", "owl", "panther", "raven", "stork", "tapir"),
)


def pseudonym(name: str, seed: int) -> str:
    """Return a colour, an animal and a number that replace a name.

    Args:
        name: the submission's name.
        seed: the assignment's seed. Students do not know it, so they cannot tell who is who.

    Returns:
        The pseudonym, the same for the same name and seed.
    """
    digest = derived(seed, "pseudonym", name).to_bytes(16, "big")
    colour, animal = _COLOURS[digest[0] % len(_COLOURS)], _ANIMALS[digest[1] % len(_ANIMALS)]
    number = int.from_bytes(digest[2:4], "big") % 1000
    return f"{colour} {animal} {number}"


def pseudonyms(names: Iterable[str], seed: int) -> dict[str, str]:
    """Return the pseudonyms of a class.

    Args:
        names: the submissions' names.
        seed: the assignment's seed.

    Returns:
        The pseudonyms by name, all different: one that is taken gets another number appended.
    """
    found: dict[str, str] = {}
    for name in sorted(names):
        called = drawn = pseudonym(name, seed)
        for number in itertools.count(2):
            if called not in found.values():
                break
            called = f"{drawn} {number}"
        found[name] = called
    return found
