"""Seeds from one secret: for each purpose one of its own, from which neither the secret nor any other seed can be computed."""

import json
import secrets
from hashlib import blake2b
from typing import Final

from tkm_env.foundations.checks import checked_integer

_BYTES: Final = 16
_MOST: Final = 2 ** (8 * _BYTES) - 1


def checked_secret(given: object) -> int:
    """A whole number of up to 128 bits; for None, one that is drawn from the system, and that nobody can guess. Raises a `ConfigError` if
    it is anything else.
    """
    return (
        secrets.randbits(8 * _BYTES) if given is None else checked_integer("seed", given, 0, _MOST)
    )


def derived(secret: int, *purpose: str | int) -> int:
    """A number of 128 bits for this purpose: a hash with the secret, below 2**128, as its key, itself a secret that others can be derived
    from, and the same everywhere.

    >>> len({derived(1, "deck", 7), derived(2, "deck", 7), derived(1, "deck", 8), derived(1, "player", 7), derived(1, "deck7")})
    5
    """
    key = secret.to_bytes(_BYTES, "big")
    return int.from_bytes(
        blake2b(json.dumps(purpose).encode(), key=key, digest_size=_BYTES).digest(), "big"
    )
