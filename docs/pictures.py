"""The pictures of `docs/drawing.md` and `docs/terminus.md`, as tables; `docs/generate.py` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from tkm_env.game.registry import GameSpec
from tkm_env.games.registry import TERMINUS, TKM


class Picture(NamedTuple):
    """A drawing: name, what it shows, position, the actions from there, settings, theme, whether legal targets are marked, the game."""

    name: str
    shows: str
    position: str | None = None
    actions: Sequence[str] = ()
    settings: Mapping[str, Any] = MappingProxyType({})
    theme: str = "light"
    legal: bool = False
    game: GameSpec = TKM

    def draw(self) -> str:
        """The SVG document."""
        game = self.game.game_class(position=self.position, seed=0, **self.settings)
        for action in self.actions:
            game.play(action)
        return game.svg(size=924, theme=self.theme, legal=self.legal) + "\n"


ALL_PIECES = "W.*D/.IO./w..b/L..B|W.#D/.IO./.w.E/L..B|v.TD/.IO./>.<E/L^.B GIM w c NF - 3/3 - w-b/-bw -/- 17"
CROWDED = "**.D/W.O*/IBB./L.*.|W#.D/*WO#/IB.E/L.#B|.T.D/W.OT/I.BE/L.T. GIM b 1 NN P10 1/2 - ---/--- overtime!/ripple 22"
DEATHS = "W.D./.IOB/.W.B/L.*B|w.D./.WWI/..O./LB..|*..D/.w.I/..O./L.E. GIM b 2 NP P8 0/1 - bbb/--- -/- 28"
TREE = "...D/.*O./W*B./L..B|wWID/.#O./.#B./L...|.WID/.TO./.TEB/L*b. GIM w 1 FF F2 3/2 - ---/--- second-wind/afterimage 13"
TARGETS = "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b -/- 12"
TRAVEL = "W.../..../..../...B|..../.W../..../...B|W.../..../..../..B. - w 2 NF N6 4/4 - ---/--- -/- 5"
DRAFT = "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - b d -- - 4/4 - ---/--- overtime,fixation,express,doorway/express/- 1"
SHIFT = "..../.W../..../...B|..../..../..../..B.|..../..../.W../...B - b f PN N15 2/3 - ---/--- -/- 20"

PICTURES = (
    Picture("start", "The standard start: white, in the past, has to choose a copy."),
    Picture(
        "pieces",
        "Every piece: copies, some on seeds; a shrub; trees, one standing, four fallen; statues; elephants in hats.",
        ALL_PIECES,
    ),
    Picture("pieces-dark", "The same in the dark theme.", ALL_PIECES, theme="dark"),
    Picture("crowded", "A crowded position; white has spent its power.", CROWDED),
    Picture(
        "deaths",
        "What a move did: black walked west and pushed; the marks show who died where, and what moved.",
        DEATHS,
        ["move west"],
    ),
    Picture("tree", "A tree that falls.", TREE, ["move south"], theme="dark"),
    Picture("targets", "Targets of legal actions: a dot on an empty space, corners around a piece.", TARGETS, legal=True),
    Picture("travel", "Travelling backward leaves a copy; the corners mark what is new.", TRAVEL, ["travel backward"]),
    Picture("draft", "A draft, with its legal choices.", DRAFT, theme="dark", legal=True),
    Picture("focus", "A focus that shifts.", SHIFT, ["focus past"], theme="dark"),
)

TERMINUS_START = "1:.I. r p 2,6,11/4,9,17 ?10 -/- 1 -"
TERMINUS_MIDDLE = "6:RAB|2:R|4:RF.|1:I.|11:RAB r G 9*,T/3,5*,7 8,10,16 4/- 5 0123456789abcdef"
TERMINUS_LATE = "14:RS.|16:AR|6:BAR|12:R|1:I.|2:G|11:BA|5:BF.|10:BR r p T,3,13/8,15,17 ?0 -/5 11 -"

TERMINUS_PICTURES = (
    Picture("terminus", "An event has to be resolved: a grow was covered. Two cards are frozen.", TERMINUS_MIDDLE, game=TERMINUS),
    Picture(
        "terminus-start",
        "The start, with the legal actions: a dot marks where the right-hand era of the card would lie.",
        TERMINUS_START,
        legal=True,
        game=TERMINUS,
    ),
    Picture(
        "terminus-dark",
        "Terminus has been played, and the game is over; what the last action played or drew is framed.",
        TERMINUS_LATE,
        ["play first at 3"],
        theme="dark",
        game=TERMINUS,
    ),
)
