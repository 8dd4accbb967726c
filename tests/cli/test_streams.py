"""Signs that a stream's encoding lacks."""

from __future__ import annotations

import pytest

from tkm_env.cli.streams import _SIGNS, encodable

ENCODINGS = ("ascii", "latin-1", "cp1252", "cp437", "utf-8")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_sign_has_one_that_the_encoding_can_write(encoding: str) -> None:
    shown = encodable("".join(_SIGNS) + "ö★\udc80", encoding)
    shown.encode(encoding)
    assert ("\\u2605" in shown) == (encoding != "utf-8")
    assert "\\udc80" in shown


def test_what_an_encoding_has_stays() -> None:
    assert encodable("−5 ± 2 Jörg", "cp1252") == "-5 ± 2 Jörg"
    assert encodable("−5 ± 2 Jörg", "utf-8") == "−5 ± 2 Jörg"
