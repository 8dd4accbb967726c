"""What every fuzzer expects of an input.

It is accepted, or refused by one of the package's own errors, and then nothing has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from tkm_env import TKMError

Answer = TypeVar("Answer")

#: Characters. A message is read at a terminal or on a page, whatever the input was.
_LONGEST_MESSAGE: Final = 4_000


def accepted(
    call: Callable[[], Answer], state: Callable[[], object] = lambda: None
) -> Answer | None:
    """What the call returns; None if it was refused as it should be.

    ``state`` returns all that a refusal must not change.
    """
    before = state()
    try:
        return call()
    except TKMError as error:
        refusal = error
    message = refusal_of(refusal)
    assert state() == before, f"refused, but something changed: {message}"
    return None


def refusal_of(error: TKMError) -> str:
    """The error's message, which must say something, briefly, and be printable."""
    message = str(error)
    assert message, f"{type(error).__name__} does not say anything"
    assert len(message) <= _LONGEST_MESSAGE, (
        f"{len(message)} characters of message: {message[:200]} ..."
    )
    message.encode("utf-8")
    return message
