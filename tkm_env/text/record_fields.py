"""What games with language models add to a record: the conversations."""

from collections.abc import Mapping
from typing import Any, Final

from tkm_env.core.record_schema import RecordField, by_side

#: The types of an answer's values, by key.
_ANSWER: Final[dict[str, Any]] = {
    "ply": int,
    "text": str,
    "end": str,
    "tokens": list,
    "model": str,
    "refused": (str, type(None)),
}


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
        and {*value} == {*_ANSWER}
        and all(isinstance(value[key], kind) for key, kind in _ANSWER.items())
        and len(value["tokens"]) == 2
        and all(isinstance(number, int) for number in value["tokens"])
    )


#: The keys, in the order in which they are written.
FIELDS: Final = (
    RecordField(
        "models",
        meaning=(
            "the conversation of each language model, by side: `asked`, the model and its options; "
            "`prompt`, the [version](language-models.md) of its prompts; `answers`, each with "
            "`ply`, the number of the action that was asked for; `text`, at most its last 10,000 "
            "characters; `end`, why it ended there; `tokens`, of the question and of the answer; "
            "`model`, as the server names it; `refused`, null or the kind of fault, after which it "
            "was asked again"
        ),
        form="an object with conversations of {players}, or of one of them",
        fits=by_side(_is_conversation),
    ),
)
