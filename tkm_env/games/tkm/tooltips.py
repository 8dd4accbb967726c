"""What pieces and belongings are, in a sentence or two: the page's tooltips, which stand in ``tooltips.json``."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final, NamedTuple


class Piece(NamedTuple):
    """What stands on a space, by its letter: its name, and what it does."""

    name: str
    tip: str


_TEXTS: Final[dict[str, dict[str, Any]]] = json.loads((files(__package__) / "tooltips.json").read_text("utf-8"))

#: By the letters of NOTATION.
PIECES: Final = {letter: Piece(*texts) for letter, texts in _TEXTS["pieces"].items()}
#: Each era's, by name.
ERA_TIPS: Final = _TEXTS["eras"]
#: What lies beside the boards.
BELONGINGS: Final = _TEXTS["belongings"]
