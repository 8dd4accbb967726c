"""Seeds derived from one secret, one for each purpose.

Neither the secret nor any other seed can be computed from one of them.
"""

import json
import secrets
from hashlib import blake2b
from typing import Final

from tkm_env.foundations.checks import checked_integer

_BYTES: Final = 16
_MOST: Final = 2 ** (8 * _BYTES) - 1


def checked_secret(given: object) -> int:
    """Check a secret: an integer of up to 128 bits, or None to draw one from the system.

    Raises:
        ConfigError: if it is anything else.
    """
    return (
        secrets.randbits(8 * _BYTES) if given is None else checked_integer("seed", given, 0, _MOST)
    )


def derived(secret: int, *purpose: str | int) -> int:
    """Derive a number of 128 bits for a purpose, from which the secret cannot be computed.

    It is a hash with the secret as its key, the same on every machine. It can serve as a secret to
    derive further numbers from.

    Args:
        secret: an integer from 0, below 2**128.
        *purpose: what the number is for, in strings and integers.

    Returns:
        An integer from 0, below 2**128.

    >>> decks = [derived(1, "deck", 7), derived(2, "deck", 7), derived(1, "deck", 8)]
    >>> len({*decks, derived(1, "player", 7), derived(1, "deck7")})
    5
    """
    key = secret.to_bytes(_BYTES, "big")
    return int.from_bytes(
        blake2b(json.dumps(purpose).encode(), key=key, digest_size=_BYTES).digest(), "big"
    )
