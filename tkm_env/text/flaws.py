"""What can be wrong with a language model's reply."""

from collections.abc import Mapping
from typing import Final, NamedTuple

#: The kinds of refusals, which are kinds of `tkm_env.core.record_schema.FAULTS`: a turn that may
#: not be played, and no turn at all.
ILLEGAL, PROTOCOL = "illegal", "protocol"
#: Why an answer ended, as servers say: the limit on its tokens cut it off; or the model, or its
#: operator, refused to answer.
CUT_OFF, REFUSED = "length", ("refusal", "content_filter")


class Flaw(NamedTuple):
    """One of the things that can be wrong with a reply.

    Attributes:
        kind: the kind of refusal: `ILLEGAL` or `PROTOCOL`.
        meaning: what is wrong, for the documentation.
    """

    kind: str
    meaning: str


#: What can be wrong with a reply, by name, from nothing said to a rule broken.
FLAWS: Final[Mapping[str, Flaw]] = {
    "empty": Flaw(PROTOCOL, "no text at all"),
    "refused": Flaw(PROTOCOL, "the model or its provider refused to answer"),
    "cut off": Flaw(PROTOCOL, "the limit on tokens ended the reply before its turn was complete"),
    "form": Flaw(PROTOCOL, "no answer in a form that can be read without a doubt"),
    "unknown name": Flaw(ILLEGAL, "an action, or the number of a turn, that does not exist"),
    "unfinished": Flaw(ILLEGAL, "legal actions that do not end the turn"),
    "rule broken": Flaw(ILLEGAL, "an action that may not be played there"),
}
#: The names of the flaws.
EMPTY, NOT_ANSWERED, INCOMPLETE, FORM, UNKNOWN, UNFINISHED, BROKEN = FLAWS


class RefusedReplyError(Exception):
    """A reply that is refused: its flaw and the sentence."""
