"""What the parsers of all games' position texts have in common."""

from collections.abc import Collection
from typing import Any, NoReturn

from numpy.typing import NDArray

from tkm_env.foundations.errors import PositionError
from tkm_env.foundations.message import Message


class PositionParser:
    """Splits a position's text into fields, from which a game's own parser fills a state.

    Args:
        text: the text of the position.
        names: the names of its fields, in order.
        states: where to write the position, of shape (1,) and the engine's dtype.

    Attributes:
        fields: the text of each field, by name.
        states: as given.
        state: the only element of ``states``.

    Raises:
        PositionError: if the text is not a str, or has another number of fields.
    """

    def __init__(self, text: object, names: Collection[str], states: NDArray[Any]) -> None:
        if not isinstance(text, str):
            raise PositionError(
                "position",
                text,
                Message("a position is a str, not {kind}", kind=type(text).__name__),
            )
        fields = text.split(" ")
        if len(fields) != len(names):
            raise PositionError(
                "position",
                text,
                Message(
                    "it must have {wanted} fields separated by single spaces, not {count}",
                    wanted=len(names),
                    count=len(fields),
                ),
            )
        self.fields = dict(zip(names, fields, strict=True))
        self.states = states
        self.state: Any = states[0]

    def read_to_act(self, letters: str) -> None:
        """Read the field "to act", which holds the letter of a player.

        Raises:
            PositionError: if it holds anything else.
        """
        if self.fields["to act"] not in [*letters]:
            self.refuse(
                "to act", Message("{letters} is needed", letters=" or ".join(map(repr, letters)))
            )
        self.state.to_act = letters.index(self.fields["to act"])

    def refuse(self, field: str, reason: str) -> NoReturn:
        """Raise the error about a field.

        Args:
            field: its name.
            reason: what is wrong, or what is needed.

        Raises:
            PositionError: always.
        """
        raise PositionError(field, self.fields[field], reason)
