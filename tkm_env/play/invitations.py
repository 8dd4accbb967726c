"""A game of two people at different places: the seats, their codes, and who may do what.

Whoever has the code of a seat has the seat. `RIGHTS` names, for each route of the page, what a
request needs; a route that it does not name is refused.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Any, Final

from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.files import check_keys
from tkm_env.foundations.message import Message

#: Nobody guesses one of 2 ** 128 codes, however often they ask; so wrong ones are not counted.
_CODE_BYTES: Final = 16


class Seat(StrEnum):
    """A seat of an invitation. Any number of people may share the spectators' one."""

    HOST = "host"
    GUEST = "guest"
    SPECTATOR = "spectator"


class Right(Enum):
    """What a request needs; the value says so to whoever lacks it."""

    #: Nothing: so somebody takes a seat.
    NOTHING = ""
    #: A seat.
    SEAT = Message("This game is for those who were invited: open the link that you were sent.")
    #: One of the two players' seats.
    PLAYER = Message("only the two players can do this")
    #: The seat of the player who is to act.
    TURN = Message("it is not your turn")
    #: The host's seat.
    HOST = Message("only the host of this game can do this")
    #: The host's seat, once the game is over: nobody plays with a search's advice.
    ANALYST = Message("only the host of this game can do this, once it is over")
    #: What nobody may do.
    NOBODY = Message("this is not possible in a game over an invitation")


RIGHTS: Final[Mapping[str, Right]] = MappingProxyType(
    {
        "join": Right.NOTHING,
        **dict.fromkeys(("index", "static", "known_languages", "words"), Right.SEAT),
        **dict.fromkeys(("canvas", "rules", "compiling", "state", "who_is_here"), Right.SEAT),
        **dict.fromkeys(("replay", "record"), Right.SEAT),
        **dict.fromkeys(("play", "undo"), Right.TURN),
        **dict.fromkeys(("say", "resign"), Right.PLAYER),
        **dict.fromkeys(("settings", "new", "rematch", "next_in_match", "match"), Right.HOST),
        **dict.fromkeys(("links", "renew_links"), Right.HOST),
        **dict.fromkeys(("look", "lines", "advice", "evaluation", "review"), Right.ANALYST),
        **dict.fromkeys(("agent", "take_back", "switch", "open_record", "edit"), Right.NOBODY),
        **dict.fromkeys(("exercises", "exercise"), Right.NOBODY),
        **dict.fromkeys(("kept_games", "continue_game", "forget_game"), Right.NOBODY),
    }
)


def lacks(right: Right, seat: Seat | None, *, is_over: bool) -> bool:
    """Return whether a request lacks a right, apart from whose turn it is.

    Args:
        right: the right; for `Right.TURN`, a player's seat is enough here.
        seat: the seat whose code the request has; None for no right code.
        is_over: whether the game is over.

    Returns:
        Whether it is to be refused.

    >>> lacks(Right.PLAYER, Seat.GUEST, is_over=False), lacks(Right.HOST, Seat.GUEST, is_over=False)
    (False, True)
    """
    seats = {
        Right.SEAT: (Seat.HOST, Seat.GUEST, Seat.SPECTATOR),
        Right.PLAYER: (Seat.HOST, Seat.GUEST),
        Right.TURN: (Seat.HOST, Seat.GUEST),
        Right.HOST: (Seat.HOST,),
        Right.ANALYST: (Seat.HOST,) if is_over else (),
    }
    return right is not Right.NOTHING and seat not in seats.get(right, ())


@dataclass(frozen=True)
class Invitation:
    """The codes of the seats.

    Attributes:
        codes: the code of each seat.
        asked: what the command that made it asked for, by which the same command finds it again.
    """

    codes: Mapping[Seat, str] = field(repr=False)
    asked: Mapping[str, Any]

    @classmethod
    def drawn(cls, asked: Mapping[str, Any]) -> "Invitation":
        """Draw the codes of a new invitation from the system's randomness."""
        return cls({seat: _new_code() for seat in Seat}, asked)

    def renewed(self) -> "Invitation":
        """Return an invitation with new codes for all but the host."""
        return Invitation({**self.drawn({}).codes, Seat.HOST: self.codes[Seat.HOST]}, self.asked)

    def seat_of(self, code: str) -> Seat | None:
        """Return the seat that a code opens, None for none; how long it takes tells nothing."""
        given = code.encode("utf-8", "replace")
        opened = [
            seat
            for seat, own in self.codes.items()
            if secrets.compare_digest(own.encode("utf-8"), given)
        ]
        return opened[0] if opened else None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types, the codes included."""
        return {
            "codes": {str(seat): code for seat, code in self.codes.items()},
            "asked": self.asked,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Invitation":
        """Read what `to_dict` returned.

        Raises:
            ConfigError: if it is anything else.
        """
        check_keys("invitation", content, ("codes", "asked"))
        codes = content["codes"]
        is_whole = isinstance(codes, dict) and {*codes} == {*Seat}
        if not is_whole or not all(isinstance(code, str) and code for code in codes.values()):
            raise ConfigError("codes", "(secret)", f"it must have {', '.join(Seat)}")
        if not isinstance(content["asked"], dict):
            raise ConfigError("asked", content["asked"], "it must be an object")
        return cls({seat: codes[seat] for seat in Seat}, content["asked"])


def _new_code() -> str:
    return secrets.token_urlsafe(_CODE_BYTES)


def link_of(url: str, code: str) -> str:
    """Return the link that takes a seat.

    Args:
        url: the address of the page.
        code: the seat's code.

    Returns:
        The link.

    >>> link_of("http://127.0.0.1:8734/", "CODE")
    'http://127.0.0.1:8734/join/CODE'
    """
    return f"{url.rstrip('/')}/join/{code}"
