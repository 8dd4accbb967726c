"""What the parsers of all games' position texts share."""

from collections.abc import Collection
from typing import Any, NoReturn

from numpy.typing import NDArray

from tkm_env.foundations.errors import PositionError


class PositionParser:
    """Splits a position's text into fields, from which a game's own parser fills ``states``, of shape (1,). Raises a `PositionError`."""

    def __init__(self, text: object, names: Collection[str], states: NDArray[Any]) -> None:
        if not isinstance(text, str):
            raise PositionError("position", text, f"a position is a str, not {type(text).__name__}")
        fields = text.split(" ")
        if len(fields) != len(names):
            raise PositionError(
                "position",
                text,
                f"it must have {len(names)} fields separated by single spaces, not {len(fields)}",
            )
        self.fields = dict(zip(names, fields, strict=True))
        self.states = states
        self.state: Any = states[0]

    def read_to_act(self, letters: str) -> None:
        """Read the field "to act", one of the players' letters."""
        if self.fields["to act"] not in [*letters]:
            self.refuse("to act", f"{' or '.join(map(repr, letters))} is needed")
        self.state.to_act = letters.index(self.fields["to act"])

    def refuse(self, field: str, reason: str) -> NoReturn:
        raise PositionError(field, self.fields[field], reason)
