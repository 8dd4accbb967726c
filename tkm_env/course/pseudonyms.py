"""Pseudonyms of submissions, wherever other students see them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Final

from tkm_env.seeds import derived

_COLOURS: Final = """
amber azure black blue bronze coral copper crimson golden green grey indigo ivory jade lilac ochre olive pearl purple ruby scarlet silver
violet white
"""
_ANIMALS: Final = """
badger beaver crane dolphin eagle elephant falcon ferret finch fox gazelle gecko heron ibex jackdaw lynx magpie marten otter owl panther
raven stork tapir
"""


def pseudonym(name: str, seed: int) -> str:
    """A colour, an animal and a number, determined by the submission's name and the assignment's seed, which students do not know.

    >>> pseudonym("ann", 1) == pseudonym("ann", 1) != pseudonym("ann", 2)
    True
    """
    digest = derived(seed, "pseudonym", name).to_bytes(16, "big")
    colours, animals = _COLOURS.split(), _ANIMALS.split()
    number = int.from_bytes(digest[2:4], "big") % 1000
    return f"{colours[digest[0] % len(colours)]} {animals[digest[1] % len(animals)]} {number}"


def pseudonyms(names: Iterable[str], seed: int) -> dict[str, str]:
    """The pseudonyms of a class by name: where two would have the same, the later one has a number behind it."""
    found: dict[str, str] = {}
    for name in sorted(names):
        called = drawn = pseudonym(name, seed)
        for number in itertools.count(2):
            if called not in found.values():
                break
            called = f"{drawn} {number}"
        found[name] = called
    return found
