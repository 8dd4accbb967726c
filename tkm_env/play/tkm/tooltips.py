"""What the page says of pieces, belongings and actions, in a sentence or two: the texts of ``tooltips.json``."""

from typing import Any, Final, NamedTuple

from tkm_env.foundations.files import packaged_json


class Piece(NamedTuple):
    """What stands on a space, by its letter: its name, and what it does."""

    name: str
    tip: str


_TEXTS: Final[dict[str, Any]] = packaged_json(__package__, "tooltips.json")

#: By the letters of NOTATION.
PIECES: Final = {letter: Piece(*texts) for letter, texts in _TEXTS["pieces"].items()}
#: Each era's, by name.
ERA_TIPS: Final = _TEXTS["eras"]
#: What lies beside the boards.
BELONGINGS: Final = _TEXTS["belongings"]
#: The headings under which actions are listed, by the first word of their names.
HEADINGS: Final = _TEXTS["headings"]
#: The rules in short, after the goal.
RULES: Final = _TEXTS["rules"]
#: What to do next, by step.
NEXT: Final = _TEXTS["next"]
