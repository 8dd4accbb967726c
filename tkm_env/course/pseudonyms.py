"""Pseudonyms of submissions, wherever other students see them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

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
    digest = blake2b(name.encode("utf-8", "backslashreplace"), key=str(seed).encode(), digest_size=8).digest()
    colours, animals = _COLOURS.split(), _ANIMALS.split()
    number = int.from_bytes(digest[2:4], "big") % 1000
    return f"{colours[digest[0] % len(colours)]} {animals[digest[1] % len(animals)]} {number}"
