"""What games with language models add to a record: the conversations."""

from collections.abc import Mapping
from typing import Any, Final

from tkm_env.core.record_schema import RecordField, by_side

#: The most characters in an answer, and how many of the last ones a record keeps of a longer one.
LONGEST: Final = 1 << 20
_KEPT: Final = 10_000
_NOTHING: Final = type(None)
#: The types of an answer's values, by key.
_ANSWER: Final[dict[str, Any]] = {
    "ply": int,
    "text": str,
    "end": str,
    "tokens": list,
    "model": str,
    "refused": (str, _NOTHING),
}
#: The types of further values, which older records lack.
_MORE: Final[dict[str, Any]] = {
    "thoughts": str,
    "calls": str,
    "reasoning": (int, _NOTHING),
    "cached": (int, _NOTHING),
    "seconds": (int, float),
    "turn": (list, _NOTHING),
    "flaw": (str, _NOTHING),
}


def kept_text(text: str) -> str:
    """What a record keeps of an answer's text: all of it or, if that is too long, its end."""
    return text if len(text) <= LONGEST else text[-_KEPT:]


def _is_conversation(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and {*value} == {"asked", "prompt", "answers"}
        and isinstance(value["asked"], Mapping)
        and isinstance(value["prompt"], str)
        and isinstance(value["answers"], list)
        and all(map(_is_answer, value["answers"]))
    )


def _is_answer(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and {*_ANSWER} <= {*value} <= {*_ANSWER, *_MORE}
        and all(isinstance(value[key], kind) for key, kind in _ANSWER.items())
        and all(isinstance(value[key], kind) for key, kind in _MORE.items() if key in value)
        and len(value["tokens"]) == 2
        and all(isinstance(number, (int, _NOTHING)) for number in value["tokens"])
    )


#: The keys, in the order in which they are written.
FIELDS: Final = (
    RecordField(
        "models",
        meaning=(
            "the conversation of each language model, by side: `asked`, the model and its options, "
            "or `tool`, by which it takes turns, `trials`, and the options of its prompts; "
            "`prompt`, the [version](language-models.md) of its prompts; `answers`, each with "
            "`ply`, the number of the action that was asked for; `text`; `thoughts`, as far as the "
            "server shows them; `calls`, of tools, as JSON; `end`, why it ended there; `tokens`, "
            "of the question and of the answer, `reasoning`, those of thoughts, and `cached`, "
            "those of the question that the server had kept, each null if the server does not "
            "count them; `seconds`; `model`, as the server names it; `turn`, the names of the "
            "actions that were understood, or null; `refused`, null or the kind of fault, after "
            "which it was asked again; `flaw`, null or what was "
            "[wrong](language-models.md#how-a-reply-is-read). Of text of more than 1,048,576 "
            "characters, only the last 10,000 are kept"
        ),
        form="an object with conversations of {players}, or of one of them",
        fits=by_side(_is_conversation),
    ),
)
