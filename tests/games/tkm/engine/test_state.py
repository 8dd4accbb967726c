"""The state record and the pieces."""

from __future__ import annotations

from tkm_env.games.tkm.engine.state import STATE


def test_state_has_no_padding_so_that_bytes_are_its_value() -> None:
    assert STATE.fields is not None
    assert sum(field[0].itemsize for field in STATE.fields.values()) == STATE.itemsize
